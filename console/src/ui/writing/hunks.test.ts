import { describe, expect, it } from "vitest";

import { hunks } from "./hunks";

const lines = (text: string): string[] => text.split("");

/** Applies hunks, which must produce the other text. */
function patched(one: string[], other: string[]): string[] {
  const result = [...one];
  for (const hunk of hunks(one, other).reverse()) {
    result.splice(hunk.from, hunk.to - hunk.from, ...other.slice(hunk.otherFrom, hunk.otherTo));
  }
  return result;
}

describe("hunks", () => {
  it("finds nothing between equal texts", () => {
    expect(hunks(lines("abc"), lines("abc"))).toEqual([]);
  });

  it("says where a line was put in, taken out and replaced", () => {
    expect(hunks(lines("abc"), lines("abxc"))).toEqual([{ from: 2, to: 2, otherFrom: 2, otherTo: 3 }]);
    expect(hunks(lines("abc"), lines("ac"))).toEqual([{ from: 1, to: 2, otherFrom: 1, otherTo: 1 }]);
    expect(hunks(lines("abcde"), lines("aXcdY"))).toEqual([
      { from: 1, to: 2, otherFrom: 1, otherTo: 2 },
      { from: 4, to: 5, otherFrom: 4, otherTo: 5 },
    ]);
  });

  it("gives the other text back, for any two texts", () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
      const some = (): string[] => Array.from({ length: random(14) }, () => "abcd"[random(4)] ?? "a");
      const [one, other] = [some(), some()];
      expect(patched(one, other)).toEqual(other);
    }
  });

  it("gives up looking, not being right, on texts too far apart", () => {
    const one = Array.from({ length: 4000 }, (_, index) => `one ${index}`);
    const other = Array.from({ length: 4000 }, (_, index) => `other ${index}`);
    expect(patched(one, other)).toEqual(other);
  });
});
