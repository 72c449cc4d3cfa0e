import { expect, test } from "vitest";

import { isFiltered, placeIn, queryOf } from "./address";

test("an address without a state shows those who wait", () => {
  expect(queryOf(placeIn({}))).toEqual({ state: "captured" });
  expect(queryOf(placeIn({ state: "all", q: 42 }))).toEqual({ state: undefined, q: "42" });
  expect(placeIn({ state: "captured" }).state).toBeUndefined();
});

test("what an address says and nobody knows is left out", () => {
  const place = placeIn({ state: "gone", level: "ok", verdict: "maybe", id: "p1" });
  expect(place).toEqual({ state: undefined, level: "ok", verdict: undefined, q: undefined, id: "p1" });
  expect(isFiltered(place)).toBe(true);
  expect(isFiltered(placeIn({ state: "all", id: "p1" }))).toBe(false);
});
