import { describe, expect, it } from "vitest";

import { compose, linesOf, merge } from "./merge";
import { rebase } from "./rebase";
import { mannerOf, type Written } from "./text";

const lines = (text: string): string[] => text.split("");
const merged = (base: string, mine: string, theirs: string) => merge(lines(base), lines(mine), lines(theirs));
interface Tagged extends Written {
  tags: string[];
}

const NOTES = mannerOf<Tagged>("note", { title: "", body: "", visibility: "private", tags: [] });
const note = (part: Partial<Tagged>): Tagged => ({ ...NOTES.empty, ...part });

describe("merge", () => {
  it("takes what only one side changed, from either side", () => {
    const pieces = merged("abcdefg", "aBcdefg", "abcdeFg");
    expect(pieces.map((piece) => piece.kind)).toEqual(["same", "mine", "same", "theirs", "same"]);
    expect(compose(pieces, [])).toBe(lines("aBcdeFg").join("\n"));
  });

  it("takes once what both did alike", () => {
    expect(compose(merged("abc", "axc", "axc"), [])).toBe("a\nx\nc");
  });

  it("asks a person about lines that both changed", () => {
    const pieces = merged("abcde", "abXde", "abYde");
    expect(pieces[1]).toEqual({ kind: "both", mine: ["X"], theirs: ["Y"], base: ["c"] });
    expect(compose(pieces, ["mine"])).toBe("a\nb\nX\nd\ne");
    expect(compose(pieces, ["theirs"])).toBe("a\nb\nY\nd\ne");
    expect(compose(pieces, [])).toBe("a\nb\nX\nY\nd\ne");
  });

  it("asks about text put in at the same place", () => {
    const pieces = merged("ab", "aXb", "aYb");
    expect(pieces[1]).toMatchObject({ kind: "both", mine: ["X"], theirs: ["Y"] });
  });

  it("asks about a line that one side changed and the other removed", () => {
    expect(merged("abc", "aXc", "ac")[1]).toMatchObject({ kind: "both", mine: ["X"], theirs: [] });
  });

  it("keeps everything of a text that one side left alone", () => {
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
      const some = (): string[] => Array.from({ length: random(12) }, () => "abc"[random(3)] ?? "a");
      const [base, changed] = [some(), some()];
      expect(compose(merge(base, changed, base), [])).toBe(changed.join("\n"));
      expect(compose(merge(base, base, changed), [])).toBe(changed.join("\n"));
      const pieces = merge(base, changed, some());
      for (const piece of pieces) {
        if (piece.kind === "both") expect(piece.mine).not.toEqual(piece.theirs);
      }
    }
  });

  it("knows empty texts", () => {
    expect(compose(merge(linesOf(""), linesOf("mine"), linesOf("")), [])).toBe("mine");
  });
});

describe("labels", () => {
  it("keeps tags that either added and drops those that either removed", () => {
    const base = note({ tags: ["a", "b", "c"] });
    const mine = note({ tags: ["a", "b", "mine"] });
    const theirs = note({ tags: ["b", "c", "theirs"], visibility: "team" });
    expect(NOTES.mergeLabels(base, mine, theirs)).toEqual({ visibility: "team", tags: ["b", "theirs", "mine"] });
  });

  it("keeps my visibility where I changed it", () => {
    const theirs = note({ visibility: "team" });
    expect(NOTES.mergeLabels(note({}), note({ visibility: "shared" }), theirs).visibility).toBe("shared");
  });
});

describe("rebase", () => {
  const base = note({ title: "One", body: "text" });

  it("puts my body under their title", () => {
    expect(rebase(NOTES, base, { ...base, body: "mine" }, { ...base, title: "Theirs" })).toMatchObject({ title: "Theirs", body: "mine" });
  });

  it("needs a person when both changed the body", () => {
    expect(rebase(NOTES, base, { ...base, body: "mine" }, { ...base, body: "theirs" })).toBeNull();
  });

  it("needs nobody when both wrote the same", () => {
    expect(rebase(NOTES, base, { ...base, body: "x" }, { ...base, body: "x" })).toMatchObject({ body: "x" });
  });
});
