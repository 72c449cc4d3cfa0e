import { describe, expect, it } from "vitest";

import { compareTexts, counted, wordParts, type Block } from "./words";

const shown = (older: string, newer: string): string =>
  wordParts(older, newer).map(({ kind, text }) => ({ same: text, removed: `[-${text}]`, added: `[+${text}]` })[kind]).join("");

describe("comparing words", () => {
  it("finds the word that changed within its line", () => {
    expect(shown("Ships wait 21 minutes.", "Ships wait 9 minutes.")).toBe("Ships wait [-21][+9] minutes.");
    expect(shown("a, b", "a, b and c")).toBe("a, b[+ and c]");
  });

  it("takes a number, a time or a date for one word", () => {
    expect(shown("at 08:20, for 1.5", "at 08:10, for 2.5")).toBe("at [-08:20][+08:10], for [-1.5][+2.5]");
  });

  it("takes changes with a blank between them for one", () => {
    expect(shown("the old grey boat", "the new green boat")).toBe("the [-old grey][+new green] boat");
  });

  it("knows the words of every script", () => {
    expect(shown("Das ist schön, Ida", "Das ist schöner, Ida")).toBe("Das ist [-schön][+schöner], Ida");
  });
});

describe("comparing texts", () => {
  const rebuilt = (blocks: Block[], without: "added" | "removed"): string =>
    blocks
      .flatMap((block) => {
        if (block.kind === "same") return [block.line];
        if (block.kind === "folded") return block.lines;
        const kept = block.parts.filter(({ kind }) => kind !== without);
        return kept.length === 0 ? [] : [kept.map(({ text }) => text).join("")];
      })
      .join("\n");

  it("shows unrelated paragraphs as one that went and one that came", () => {
    const [, block] = compareTexts("a\nThe crane is broken.\nc", "a\nLunch at noon, everybody!\nc");
    expect(block).toMatchObject({ kind: "changed", parts: [{ kind: "removed" }, { kind: "added" }] });
  });

  it("folds what is equal and far away", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const blocks = compareTexts(lines.join("\n"), lines.with(15, "other words").join("\n"));
    expect(blocks[0]).toMatchObject({ kind: "folded" });
    expect(counted(blocks)).toEqual({ added: 2, removed: 2 });
  });

  it("loses nothing of either text", () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const some = (): string =>
      Array.from({ length: random(8) }, () => Array.from({ length: 1 + random(6) }, () => ["sea", "boat", "pier,", "3"][random(4)]).join(" ")).join("\n");
    for (let round = 0; round < 300; round++) {
      const [older, newer] = [some(), some()];
      const blocks = compareTexts(older, newer);
      expect(rebuilt(blocks, "added")).toBe(older);
      expect(rebuilt(blocks, "removed")).toBe(newer);
    }
  });
});
