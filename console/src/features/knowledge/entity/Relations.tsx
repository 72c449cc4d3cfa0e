/** An entity's relations, drawn or as a table. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { Segments } from "@/ui/Segments";

import { besides, useAddress, useRefine, VIEWS, type Address, type RelationView } from "../address";
import type { Entity, Relation } from "../api";
import { placeOfQuote } from "./documents";
import { Ego } from "./Ego";
import styles from "./Entity.module.css";
import { statementOf } from "./words";

export function Relations({ entity }: { entity: Entity }) {
  const { view = "graph" } = useAddress();
  const refine = useRefine();
  return (
    <section className={styles.section} aria-label={t("graph.relations")}>
      <div className={styles.heading}>
        <h2>{t("graph.relations")}</h2>
        {entity.relations.length > 0 && (
          <Segments<RelationView>
            aria-label={t("graph.relations.view")}
            value={view}
            onChange={(value) => refine({ view: value === "graph" ? undefined : value })}
            data={VIEWS.map((value) => ({ value, label: t(`graph.relations.view.${value}`) }))}
          />
        )}
      </div>
      {entity.relations.length === 0 ? (
        <p className="muted">{t("graph.relations.none")}</p>
      ) : view === "graph" ? (
        <Ego entity={entity} />
      ) : (
        <DataTable caption={t("graph.relations.of", { name: entity.name })} columns={columnsOf(entity.name)} rows={entity.relations} keyOf={keyOf} />
      )}
    </section>
  );
}

const keyOf = (relation: Relation): string => `${placeOfQuote(relation)} ${relation.direction} ${relation.predicate} ${relation.entity.id}`;

const columnsOf = (name: string): Column<Relation>[] => [
  {
    title: t("graph.relations.entity"),
    cell: ({ entity }) => (
      <Link to="/graph/$id" params={{ id: entity.id }} search={besides}>
        {entity.name}
      </Link>
    ),
  },
  { title: t("graph.relations.relation"), cell: (relation) => statementOf(relation, name) },
  { title: t("graph.relations.type"), cell: ({ entity }) => t(`graph.types.${entity.type}`) },
  {
    title: t("graph.evidence"),
    cell: (relation) => (
      <Link to="." search={(now: Address) => ({ ...now, passage: placeOfQuote(relation) })} replace resetScroll={false}>
        {relation.quote}
      </Link>
    ),
  },
];
