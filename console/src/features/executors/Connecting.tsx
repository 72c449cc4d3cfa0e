/** How to connect a worker with the token: the bundled program, or plain HTTP. */

import { t } from "@/i18n";
import { Snippet } from "@/ui/Snippet";

import { claimOf, commandOf, tokenFileOf } from "./commands";
import styles from "./Executors.module.css";
import type { NewExecutor } from "./queries";

export function Connecting({ executor }: { executor: NewExecutor }) {
  const file = tokenFileOf(executor.name);
  return (
    <div className={styles.ways}>
      <div>
        <h3>{t("executors.connect.worker", { file })}</h3>
        <Snippet label={t("executors.connect.command")} text={commandOf(location.origin, file)} />
        <p className="muted">{t("executors.connect.url")}</p>
      </div>
      <div>
        <h3>{t("executors.connect.http")}</h3>
        <Snippet label={t("executors.connect.claim")} text={claimOf(location.origin, file, executor.capabilities)} />
      </div>
    </div>
  );
}
