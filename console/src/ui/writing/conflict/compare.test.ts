import { describe, expect, it } from "vitest";

import { compare } from "./compare";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);

describe("comparing", () => {
  it("sets what differs face to face", () => {
    expect(compare(["a", "x", "c"], ["a", "y", "z", "c"])).toEqual([
      { kind: "same", line: "a" },
      { kind: "differs", mine: "x", theirs: "y" },
      { kind: "differs", theirs: "z" },
      { kind: "same", line: "c" },
    ]);
  });

  it("folds what is equal and far from any difference", () => {
    const mine = numbered(30);
    const rows = compare(mine, mine.with(15, "other"));
    expect(rows.map((row) => row.kind)).toEqual([
      "folded", "same", "same", "same", "differs", "same", "same", "same", "folded",
    ]);
    expect(rows[0]).toMatchObject({ lines: numbered(12) });
  });

  it("loses no line", () => {
    const mine = numbered(20);
    const theirs = ["new", ...mine.slice(0, 9), ...mine.slice(11)];
    const rows = compare(mine, theirs);
    const side = (pick: "mine" | "theirs") =>
      rows.flatMap((row) => {
        if (row.kind === "same") return [row.line];
        return row.kind === "folded" ? row.lines : [row[pick] ?? []].flat();
      });
    expect(side("mine")).toEqual(mine);
    expect(side("theirs")).toEqual(theirs);
  });
});
