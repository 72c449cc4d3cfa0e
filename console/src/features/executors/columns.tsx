/** What the table of executors shows of each. */

import { LOCAL, type Executor } from "@/api/executors";
import { number, t } from "@/i18n";
import type { Column } from "@/ui/DataTable";
import { kindWords } from "@/ui/kindWords";
import { Time } from "@/ui/Time";

import styles from "./Executors.module.css";
import { HealthTag } from "./HealthTag";

/** `whose` says the name of a company by its id. */
export function columnsFor(whose: (orgId: string) => string): Column<Executor>[] {
  return [
    { title: t("executors.column.name"), cell: (executor) => <Name executor={executor} /> },
    { title: t("executors.column.health"), cell: ({ health }) => <HealthTag health={health} /> },
    { title: t("executors.column.seen"), cell: (executor) => <Seen executor={executor} /> },
    // The server does not count what it does itself.
    { title: t("executors.column.running"), end: true, cell: ({ id, running }) => (id === LOCAL ? "–" : number(running)) },
    { title: t("executors.column.model"), cell: ({ model }) => model ?? <span className="muted">{t("executors.model.any")}</span> },
    { title: t("executors.column.takes"), cell: ({ capabilities }) => capabilities.map(kindWords).join(", ") },
    { title: t("executors.column.whose"), cell: ({ org_id: org }) => (org === null ? t("executors.whose.all") : whose(org)) },
  ];
}

function Name({ executor: { id, name, mode } }: { executor: Executor }) {
  return (
    <span className={styles.name}>
      <b>{id === LOCAL ? t("executors.local") : name}</b>
      <span className="muted">{t(`executors.mode.${mode}`)}</span>
    </span>
  );
}

function Seen({ executor: { id, last_seen_at: at } }: { executor: Executor }) {
  if (at) return <Time at={at} />;
  return <span className="muted">{id === LOCAL ? t("executors.seen.always") : t("executors.seen.never")}</span>;
}
