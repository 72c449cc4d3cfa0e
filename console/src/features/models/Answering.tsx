/** The model that answers for a role now, and why. */

import { IconFlask } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Facts } from "@/ui/Facts";
import { Tag } from "@/ui/Tag";

import { executorName } from "./choices";
import styles from "./Models.module.css";
import type { Report } from "./queries";
import { reasonWords } from "./reasons";

export function Answering({ report }: { report: Report }) {
  const { executor, model, simulated } = report;
  return (
    <div className={styles.answering}>
      <Facts
        facts={[
          [t("models.now"), <Model key="model" model={model} simulated={simulated} />],
          [t("models.executor"), executor === null ? t("models.executor.none") : executorName(executor)],
        ]}
      />
      <p className="muted">{reasonWords(report)}</p>
    </div>
  );
}

function Model({ model, simulated }: Pick<Report, "model" | "simulated">) {
  if (!simulated) return model ?? t("models.any");
  return (
    <Tag tone="warning">
      <IconFlask aria-hidden size={13} />
      {t("models.simulated")}
    </Tag>
  );
}
