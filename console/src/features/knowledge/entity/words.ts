/** Relations in words. */

import { t } from "@/i18n";

import type { Relation } from "../api";
import type { Neighbour } from "./drawing";

/** `works_for` as the model writes it, `works for` as people do. */
const plain = (predicate: string): string => predicate.replace(/[_-]+/g, " ").trim();

/** The arrow says which of the two does it. */
export const relationWords = ({ predicate, direction }: Pick<Relation, "predicate" | "direction">): string =>
  t(`graph.relations.${direction}`, { predicate: plain(predicate) });

export function allRelationWords({ relations }: Neighbour): string {
  return [...new Set(relations.map(relationWords))].join(", ");
}
