import { expect, it } from "vitest";

import { MARKS, renderedBlocks } from "./rendered";

const shown = (older: string, newer: string): string[] =>
  renderedBlocks(older, newer).map(({ kind, text }) => {
    const plain = text
      .replaceAll(MARKS.added[0], "[+").replaceAll(MARKS.added[1], "]")
      .replaceAll(MARKS.removed[0], "[-").replaceAll(MARKS.removed[1], "]");
    return `${kind}: ${plain}`;
  });

it("marks the words that changed, and leaves the rest as it reads", () => {
  expect(shown("# Plan\n\nThe **red** crane is back.", "# Plan\n\nThe **blue** crane is back.")).toEqual([
    "same: # Plan",
    "changed: The **[-red][+blue]** crane is back.",
  ]);
});

it("shows new, removed and replaced blocks as a whole", () => {
  expect(shown("one\n\ntwo", "one\n\ntwo\n\nthree")).toEqual(["same: one", "same: two", "added: three"]);
  expect(shown("one\n\ntwo", "one")).toEqual(["same: one", "removed: two"]);
  expect(shown("the old words", "something else entirely")).toEqual(["removed: the old words", "added: something else entirely"]);
});

it("keeps code and tables whole", () => {
  const code = (word: string): string => `\`\`\`\na ${word} b\n\nc d e f\n\`\`\``;
  expect(shown(code("x"), code("y")).map((line) => line.split(":")[0])).toEqual(["removed", "added"]);
  expect(shown("| a | b | c |\n|---|---|---|\n| d | e | f |", "| a | b | c |\n|---|---|---|\n| d | e | g |").length).toBe(2);
});
