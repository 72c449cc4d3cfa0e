/** What was made from what, as a table. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";
import { DataTable, type Column } from "@/ui/DataTable";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import { agesOf, isBehind, type Age, type Derivation, type Provenance, type ProvenanceFile } from "./provenance";
import { AgeTag, MadeBy } from "./ProvenanceGraph";
import styles from "./ProvenanceTable.module.css";

export function ProvenanceTable({ provenance }: { provenance: Provenance }) {
  const ages = agesOf(provenance);
  const columns: Column<Derivation>[] = [
    { title: t("processing.column.derived"), cell: (made) => <Derived made={made} /> },
    { title: t("processing.column.source"), cell: ({ from, relative }) => <Version file={from} version={relative.source_version} /> },
    { title: t("processing.column.state"), cell: (one) => <State age={ageOf(one, ages)} edited={one.relative.edited} /> },
  ];
  return <DataTable caption={t("processing.provenance")} columns={columns} rows={provenance.derivations} keyOf={({ from, to }) => `${from.id} ${to.id}`} />;
}

/** With the step and the time on a second line: the inspector is narrow. */
function Derived({ made }: { made: Derivation }) {
  return (
    <>
      <Version file={made.to} version={made.relative.version} />
      <div className={styles.made}>
        <MadeBy made={made} />
        <Time at={made.relative.created_at} />
      </div>
    </>
  );
}

function Version({ file, version }: { file: ProvenanceFile; version: number }) {
  return (
    <Link className={styles.version} {...placeOfObject(file.id, { version })}>
      {t("processing.version", { name: file.name, version })}
    </Link>
  );
}

function ageOf(derivation: Derivation, ages: ReadonlyMap<string, Age>): Age {
  if (isBehind(derivation)) return "stale";
  return derivation.relative.stale || ages.get(derivation.from.id) !== "current" ? "source" : "current";
}

function State({ age, edited }: { age: Age; edited: boolean }) {
  return (
    <>
      <AgeTag age={age} />
      {edited && <Tag>{t("processing.edited")}</Tag>}
    </>
  );
}
