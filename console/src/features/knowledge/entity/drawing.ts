/** Where an entity's neighbours are drawn: around it on both sides where there's room, and below it on a phone. */

import type { Relation } from "../api";

export interface Neighbour {
  entity: Relation["entity"];
  relations: Relation[];
}

/** Each entity once, those with most relations first. */
export function neighboursOf(relations: readonly Relation[]): Neighbour[] {
  const found = new Map<string, Neighbour>();
  for (const relation of relations) {
    const known = found.get(relation.entity.id);
    if (known) known.relations.push(relation);
    else found.set(relation.entity.id, { entity: relation.entity, relations: [relation] });
  }
  return [...found.values()].sort(
    (one, other) => other.relations.length - one.relations.length || one.entity.name.localeCompare(other.entity.name),
  );
}

export type Direction = Relation["direction"] | "both";

export function directionOf({ relations }: Neighbour): Direction {
  const [first, ...others] = relations.map(({ direction }) => direction);
  return others.every((direction) => direction === first) ? (first ?? "both") : "both";
}

export interface Node {
  neighbour: Neighbour;
  side: "left" | "right";
  /** The point that the line goes to; the label begins there. */
  x: number;
  y: number;
  /** Width of the label. */
  width: number;
  /** From the entity to the point. */
  line: string;
}

export interface Drawing {
  width: number;
  height: number;
  isNarrow: boolean;
  /** The middle of the entity's own label; below which, on a phone, the others are, and which begins at the edge. */
  centre: { x: number; y: number; width: number };
  nodes: Node[];
  /** Neighbours that aren't drawn. */
  more: Neighbour[];
}

const ROW = 42;
const NARROW = 520;
const MOST = { wide: 40, narrow: 16 };
const EDGE = 4;
/** What a label has room for at least. */
const LABEL = 190;

export function drawingOf(neighbours: readonly Neighbour[], width: number): Drawing {
  const isNarrow = width < NARROW;
  const most = isNarrow ? MOST.narrow : MOST.wide;
  const [drawn, more] = [neighbours.slice(0, most), neighbours.slice(most)];
  return { ...(isNarrow ? below(drawn, width) : around(drawn, width)), isNarrow, width, more };
}

type Placed = Pick<Drawing, "height" | "centre" | "nodes">;

/** On two arcs, one on each side: every label is horizontal, and none covers another. */
function around(drawn: readonly Neighbour[], width: number): Placed {
  const sides = { right: drawn.filter((_, place) => place % 2 === 0), left: drawn.filter((_, place) => place % 2 === 1) };
  const height = Math.max(3, sides.right.length) * ROW + 2 * EDGE;
  const centre = { x: width / 2, y: height / 2, width: Math.min(180, width * 0.24) };
  const nearest = centre.width / 2 + 24;
  const reach = Math.max(0, Math.min(width * 0.19, width / 2 - nearest - LABEL));
  const nodes = (["right", "left"] as const).flatMap((side) =>
    sides[side].map((neighbour, place): Node => {
      const y = centre.y + (place - (sides[side].length - 1) / 2) * ROW;
      const away = nearest + reach * Math.sqrt(1 - ((y - centre.y) / (height * 0.56)) ** 2);
      const x = side === "right" ? centre.x + away : centre.x - away;
      return { neighbour, side, x, y, width: (side === "right" ? width - x : x) - EDGE, line: curve(centre, { x, y }) };
    }),
  );
  return { height, centre, nodes };
}

/** Below the entity, as a tree with one level. */
function below(drawn: readonly Neighbour[], width: number): Placed {
  const [top, indent] = [22, 34];
  const nodes = drawn.map((neighbour, place): Node => {
    const y = top + 40 + place * ROW;
    const line = `M14 ${top}V${y - 10}Q14 ${y} 24 ${y}H${indent}`;
    return { neighbour, side: "right", x: indent, y, width: width - indent - EDGE, line };
  });
  const centre = { x: 0, y: top, width };
  return { height: top + 26 + drawn.length * ROW, centre, nodes };
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const middle = (from.x + to.x) / 2;
  return `M${round(from.x)} ${round(from.y)}C${round(middle)} ${round(from.y)} ${round(middle)} ${round(to.y)} ${round(to.x)} ${round(to.y)}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
