/** Executors that a role can use. */

import { LOCAL, type Executor } from "@/api/executors";
import { t } from "@/i18n";

export interface Choice {
  value: string;
  label: string;
}

/** Value for the default. */
export const DEFAULT = "";

const ANSWERS = "ai.chat";

export const executorName = (name: string): string => (name === LOCAL ? t("executors.local") : name);

/** The default, then the executors that can answer for the company, then the chosen one if it's gone. */
export function choicesOf(executors: readonly Executor[], orgId: string, fallback: string | null, chosen: string | null): Choice[] {
  const serving = executors.filter(({ org_id: org, capabilities }) => (org === null || org === orgId) && capabilities.includes(ANSWERS));
  const gone = chosen !== null && !serving.some(({ name }) => name === chosen);
  return [
    { value: DEFAULT, label: fallback === null ? t("models.default") : t("models.default.named", { name: executorName(fallback) }) },
    ...serving.map((executor) => ({ value: executor.name, label: labelOf(executor) })),
    ...(gone ? [{ value: chosen, label: t("models.gone", { name: chosen }) }] : []),
  ];
}

function labelOf({ name, health, simulated, model }: Executor): string {
  const details = [model, simulated ? t("executors.simulated") : null, name === LOCAL ? null : t(`executors.health.${health}`)];
  return [executorName(name), ...details.filter(Boolean)].join(" · ");
}
