/** The banner of a suspended company: what still works, and who can resume it. */

import { IconLock } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Suspended.module.css";

export function Suspended() {
  const { me, operator } = useSession();
  if (!me.org.suspended) return null;
  return (
    <div className={styles.banner} role="status">
      <IconLock aria-hidden size={17} stroke={1.6} />
      <p>
        <b>{t("company.banner", { company: me.org.name })}</b> {t("company.banner.words")}
        {operator && (
          <>
            {" "}
            <Link to={`/settings/instance/companies/${me.org.slug}`}>{t("company.banner.operator")}</Link>
          </>
        )}
      </p>
    </div>
  );
}
