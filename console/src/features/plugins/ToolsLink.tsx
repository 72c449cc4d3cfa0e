/** Link to the tools of a source, which each team turns on for itself. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import styles from "./Card.module.css";

export function ToolsLink({ source }: { source: string }) {
  return (
    <p className={styles.more}>
      {t("plugins.tools.words")}{" "}
      <Link to="/settings/team/tools" search={{ q: source } as never}>
        {t("plugins.tools.link")}
      </Link>
    </p>
  );
}
