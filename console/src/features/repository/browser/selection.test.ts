import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { all, extended, kept, moved, none, NOTHING, only, toggled, type Selection } from "./selection";

const IDS = ["a", "b", "c", "d", "e"];
const chosen = (selection: Selection): string => [...selection.chosen].sort().join("");

describe("a selection", () => {
  it("extends from where it began, in both directions", () => {
    const down = extended(only("b"), IDS, "d");
    expect(chosen(down)).toBe("bcd");
    expect(chosen(extended(down, IDS, "a"))).toBe("ab");
    expect(chosen(extended(NOTHING, IDS, "c"))).toBe("c");
  });

  it("adds and removes single entries", () => {
    const two = toggled(only("a"), "c");
    expect(chosen(two)).toBe("ac");
    expect(chosen(toggled(two, "a"))).toBe("c");
    expect(chosen(all(two, IDS))).toBe("abcde");
    expect(chosen(none(two))).toBe("");
  });

  it("forgets what is gone, and is the same if nothing is", () => {
    const two = toggled(only("a"), "c");
    expect(kept(two, new Set(IDS))).toBe(two);
    expect(kept(two, new Set(["a"]))).toEqual({ chosen: new Set(["a"]), anchor: null, active: null });
  });
});

describe("a key", () => {
  it("moves within the list", () => {
    expect(["ArrowDown", "ArrowUp", "Home", "End", "PageDown"].map((key) => moved(key, 2, 5))).toEqual([3, 1, 0, 4, 4]);
    expect(moved("ArrowRight", 2, 5)).toBeUndefined();
    expect(moved("ArrowDown", 0, 0)).toBeUndefined();
  });

  it("moves in two dimensions among tiles, and not beyond the last row", () => {
    expect(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"].map((key) => moved(key, 4, 8, 3))).toEqual([7, 1, 3, 5]);
    expect(moved("ArrowDown", 6, 8, 3)).toBe(6);
  });

  it("never leaves the list", () => {
    const keys = fc.constantFrom("ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown", "PageUp");
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 9 }), fc.nat(), (key, count, columns, from) => {
        const to = moved(key, from % count, count, columns);
        return to === undefined || (to >= 0 && to < count);
      }),
    );
  });
});
