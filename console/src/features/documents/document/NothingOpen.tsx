/** Placeholder while no document is open, with keyboard shortcuts. */

import { IconFileText } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Empty } from "@/ui/states";

import { useDocuments } from "../queries";
import styles from "./Document.module.css";

export function NothingOpen() {
  const { can } = useSession();
  const documents = useDocuments();
  // An empty list has its own message.
  if (documents.data?.length === 0) return null;
  return (
    <div className={styles.middle}>
      <Empty title={t("documents.nothing_open")} icon={IconFileText}>
        <ul className={styles.keys}>
          <li>
            <kbd>↑</kbd> <kbd>↓</kbd> <kbd>Enter</kbd> {t("documents.nothing_open.walk")}
          </li>
          {can("files:write") && (
            <li>
              <kbd>c</kbd> {t("documents.nothing_open.new")}
            </li>
          )}
        </ul>
      </Empty>
    </div>
  );
}
