import { expect, test } from "vitest";

import type { Relation } from "../api";
import { directionOf, drawingOf, neighboursOf } from "./drawing";

const relation = (place: number, direction: Relation["direction"] = "out", name = `Entity ${place}`): Relation => ({
  predicate: "works for", direction, entity: { id: name, name, type: "person" },
  object_id: `file ${place}`, version: 1, start: 0, end: 5, quote: "Priya",
}); // prettier-ignore

const many = (count: number): Relation[] => Array.from({ length: count }, (_, place) => relation(place));

test("an entity with several relations is drawn once, and first", () => {
  const neighbours = neighboursOf([relation(1), relation(2, "out", "Harbour"), relation(3, "in", "Harbour")]);
  expect(neighbours.map(({ entity, relations }) => [entity.name, relations.length])).toEqual([["Harbour", 2], ["Entity 1", 1]]);
  expect(neighbours.map(directionOf)).toEqual(["both", "out"]);
});

test.each([1_000, 640, 360])("no label covers another or leaves the drawing at %i pixels", (width) => {
  for (const count of [1, 2, 3, 7, 40]) {
    const { nodes, height, centre } = drawingOf(neighboursOf(many(count)), width);
    for (const side of ["left", "right"]) {
      const heights = nodes.filter((node) => node.side === side).map(({ y }) => y);
      heights.slice(1).forEach((y, place) => expect(y - (heights[place] ?? 0)).toBeGreaterThanOrEqual(40));
    }
    for (const { side, x, y, width: room } of nodes) {
      expect(room).toBeGreaterThan(100);
      expect(side === "right" ? x + room : x).toBeLessThanOrEqual(width);
      expect(y).toBeLessThan(height);
      if (width > 520) expect(Math.abs(x - centre.x)).toBeGreaterThan(centre.width / 2);
    }
  }
});

test("at most forty are drawn, fewer on a phone, and the others are listed", () => {
  const neighbours = neighboursOf(many(50));
  const [wide, narrow] = [drawingOf(neighbours, 900), drawingOf(neighbours, 360)];
  expect([wide.nodes.length, wide.more.length]).toEqual([40, 10]);
  expect([narrow.nodes.length, narrow.more.length]).toEqual([16, 34]);
});
