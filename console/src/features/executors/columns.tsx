/** Columns of the executor table. */

import { LOCAL, type Executor } from "@/api/executors";
import { number, t } from "@/i18n";
import type { Column } from "@/ui/DataTable";
import { kindWords } from "@/ui/kindWords";
import { NameCell } from "@/ui/NameCell";
import { Time } from "@/ui/Time";

import { HealthTag } from "./HealthTag";

/** `whose` returns a company's name. */
export function columnsFor(whose: (orgId: string) => string): Column<Executor>[] {
  return [
    { title: t("executors.column.name"), cell: (executor) => <Name executor={executor} /> },
    { title: t("executors.column.health"), cell: ({ health }) => <HealthTag health={health} /> },
    { title: t("executors.column.seen"), cell: (executor) => <Seen executor={executor} /> },
    { title: t("executors.column.running"), end: true, cell: ({ running }) => number(running) },
    { title: t("executors.column.model"), cell: (executor) => <Model executor={executor} /> },
    { title: t("executors.column.takes"), cell: ({ capabilities }) => capabilities.map(kindWords).join(", ") },
    { title: t("executors.column.whose"), cell: ({ org_id: org }) => (org === null ? t("executors.whose.all") : whose(org)) },
  ];
}

function Name({ executor: { id, name, mode, url } }: { executor: Executor }) {
  return <NameCell name={id === LOCAL ? t("executors.local") : name}>{url ?? t(`executors.mode.${mode}`)}</NameCell>;
}

function Model({ executor: { model, simulated } }: { executor: Executor }) {
  if (model) return model;
  return <span className="muted">{t(simulated ? "executors.simulated" : "executors.model.any")}</span>;
}

function Seen({ executor: { id, last_seen_at: at } }: { executor: Executor }) {
  if (at) return <Time at={at} />;
  return <span className="muted">{id === LOCAL ? t("executors.seen.always") : t("executors.seen.never")}</span>;
}
