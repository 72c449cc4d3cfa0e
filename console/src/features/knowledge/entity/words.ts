/** Relations in words. */

import { t } from "@/i18n";

import type { Relation } from "../api";
import type { Neighbour, Node } from "./drawing";

/** `works_for` or `, who works for`, as a model writes it; `works for`, as people do. */
const plain = (predicate: string): string => predicate.replace(/_+/g, " ").replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "");

/** A whole statement about the entity of that name. */
export function statementOf({ predicate, direction, entity }: Relation, name: string): string {
  const [subject, object] = direction === "out" ? [name, entity.name] : [entity.name, name];
  return t("graph.relations.statement", { subject, predicate: plain(predicate), object });
}

export const statementsOf = ({ relations }: Neighbour, name: string): string[] => [...new Set(relations.map((relation) => statementOf(relation, name)))];

/** The arrow points the way that the line does: from the one who acts to the other. */
export function labelOf({ relations }: Neighbour, side: Node["side"]): string {
  const words = relations.map(({ predicate, direction }) =>
    t((direction === "out") === (side === "right") ? "graph.relations.onward" : "graph.relations.back", { predicate: plain(predicate) }),
  );
  return [...new Set(words)].join(", ");
}
