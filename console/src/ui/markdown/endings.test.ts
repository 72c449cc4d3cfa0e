/** A text that is edited keeps every line ending that nobody touched. */

import { ChangeSet, Text } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { edited, endingOf, rewritten, withoutEndings } from "./endings";
import { anyMarkdown } from "./editor/samples.test-data";
import { splicesOf, type Splice } from "./splice";

const edit = (from: number, to: number, insert: string): Splice => ({ from, to, insert });

describe("editing a stored text", () => {
  it.each([
    ["a\r\nb\r\nc", [edit(2, 2, "X")], "a\r\nXb\r\nc"],
    ["a\r\nb\r\nc", [edit(1, 1, "X")], "aX\r\nb\r\nc"],
    ["a\r\nb\r\nc", [edit(3, 3, "\n\nX")], "a\r\nb\r\n\r\nX\r\nc"],
    ["a\r\nb\r\nc", [edit(1, 4, " ")], "a c"],
    ["a\r\nb\r\nc", [edit(0, 1, "A"), edit(4, 5, "C")], "A\r\nb\r\nC"],
    ["a\rb\rc", [edit(5, 5, "\nd")], "a\rb\rc\rd"],
    ["a\r\nb\r\nc\nd", [edit(7, 7, "\n")], "a\r\nb\r\nc\nd\r\n"],
    ["a\nb", [edit(3, 3, "\n")], "a\nb\n"],
    ["", [edit(0, 0, "a\nb")], "a\nb"],
    ["a\rX\nb", [edit(2, 3, "")], "a\r\n\nb"],
  ])("%j with %j", (stored, splices, wanted) => {
    expect(edited(stored, splices)).toBe(wanted);
  });

  it.each([["a", "\n"], ["a\r\nb", "\r\n"], ["a\rb\rc\n", "\r"], ["a\r\nb\nc\n", "\n"]])("%j has lines that end with %j", (text, ending) => {
    expect(endingOf(text)).toBe(ending);
  });

  it("does what the editor did, and nothing else", () => {
    const places = fc.array(fc.tuple(fc.nat(400), fc.nat(9), anyMarkdown), { maxLength: 4 });
    fc.assert(
      fc.property(anyMarkdown, places, (stored, edits) => {
        const before = withoutEndings(stored);
        const starts = new Set(edits.map(([at]) => Math.min(at, before.length)));
        const specs = [...starts].sort((one, other) => one - other).map((from, index, all) => {
          const [, length, insert] = edits[index] as [number, number, string];
          return { from, to: Math.min(from + length, all[index + 1] ?? before.length), insert };
        });
        const changes = ChangeSet.of(specs, before.length);
        const shown = changes.apply(Text.of(before.split("\n"))).toString();
        const after = edited(stored, splicesOf(changes));
        expect(withoutEndings(after)).toBe(shown);
        const [first, last] = [specs[0]?.from ?? before.length, specs.at(-1)?.to ?? before.length];
        // What is before the first change and after the last one has its own endings.
        expect(after.startsWith(headOf(stored, first))).toBe(true);
        expect(after.endsWith(tailOf(stored, before.length - last))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("takes a text that was edited in a plain field", () => {
    expect(rewritten("a\r\nb\r\n", "a\nB\nc\n")).toBe("a\r\nB\r\nc\r\n");
    expect(rewritten("a\r\nb", "a\nb")).toBe("a\r\nb");
  });
});

/** The first lines and letters of a text, as many as an editor counts. */
function headOf(stored: string, count: number): string {
  return (stored.match(/\r\n|[^]/g) ?? []).slice(0, count).join("");
}

function tailOf(stored: string, count: number): string {
  const all = stored.match(/\r\n|[^]/g) ?? [];
  return all.slice(all.length - count).join("");
}
