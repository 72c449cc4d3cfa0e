/** What was made from what, as a table. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import type { Derivation, Provenance, ProvenanceFile } from "./provenance";
import { MadeBy } from "./ProvenanceGraph";

export function ProvenanceTable({ provenance }: { provenance: Provenance }) {
  const columns: Column<Derivation>[] = [
    { title: t("processing.column.derived"), cell: ({ to, relative }) => <Version file={to} version={relative.version} /> },
    { title: t("processing.column.source"), cell: ({ from, relative }) => <Version file={from} version={relative.source_version} /> },
    { title: t("processing.column.step"), cell: (made) => <MadeBy made={made} /> },
    { title: t("processing.column.made"), cell: ({ relative }) => <Time at={relative.created_at} /> },
    { title: t("processing.column.state"), cell: ({ relative }) => <State stale={relative.stale} edited={relative.edited} /> },
  ];
  return <DataTable caption={t("processing.provenance")} columns={columns} rows={provenance.derivations} keyOf={({ from, to }) => `${from.id} ${to.id}`} />;
}

function Version({ file, version }: { file: ProvenanceFile; version: number }) {
  return (
    <Link to="/files/$id" params={{ id: file.id }} search={{ version }}>
      {t("processing.version", { name: file.name, version })}
    </Link>
  );
}

function State({ stale, edited }: { stale: boolean; edited: boolean }) {
  return (
    <>
      <Tag tone={stale ? "warning" : "success"}>{stale ? t("processing.stale") : t("processing.current")}</Tag>
      {edited && <Tag>{t("processing.edited")}</Tag>}
    </>
  );
}
