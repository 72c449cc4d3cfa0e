/** Every edit of a table changes only what it is about. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { addColumn, addRow, align, deleteColumn, deleteRow, escaped, moveColumn, moveRow, newTable, setCell, tableOf, unescaped, wordsAt, type Change } from "./table";

/** Other tests may use the processor. */
const PATIENCE_MS = 60_000;

/** A row in one of the ways people write them: with bars at its ends or without, with few blanks or many. */
const words = fc.constantFrom("a", "b c", "x \\| y", "**bold**", "", "1", "`code`", "é🙂", "\\\\", "[l](/notes/n)");
const styled = fc.record({ lead: fc.boolean(), tail: fc.boolean(), pad: fc.constantFrom(" ", "  ") });
const table = fc.integer({ min: 2, max: 4 }).chain((width) =>
  fc
    .tuple(
      fc.array(fc.constantFrom("A", "B b", "C"), { minLength: width, maxLength: width }),
      fc.array(fc.constantFrom("---", ":-:", "--:", ":--"), { minLength: width, maxLength: width }),
      fc.array(fc.array(words, { minLength: 1, maxLength: width }), { minLength: 1, maxLength: 4 }),
      styled,
      styled,
    )
    .map(([head, line, rows, one, other]) => [written(head, one), written(line, one), ...rows.map((row) => written(row, other))].join("\n")),
);

interface Style {
  lead: boolean;
  tail: boolean;
  pad: string;
}

function written(cells: string[], { lead, tail, pad }: Style): string {
  // Without a bar, an empty cell at an end isn't one.
  const opens = lead || cells[0] === "";
  const closes = tail || cells.at(-1) === "" || cells.length === 1;
  return `${opens ? `|${pad}` : ""}${cells.join(`${pad}|${pad}`)}${closes ? `${pad}|` : ""}`;
}

function changed(text: string, changes: readonly Change[]): string {
  return [...changes].sort((one, other) => other.from - one.from).reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);
}

/** Cells by row, with the header first; short rows as long as the header. */
function gridOf(text: string): string[][] {
  const found = tableOf(text);
  const columns = found.header.cells.map((_, column) => column);
  return [-1, ...found.rows.keys()].map((row) => columns.map((column) => wordsAt(text, found, row, column)));
}

const edits = fc.record({ row: fc.integer({ min: -1, max: 3 }), column: fc.nat(3), step: fc.constantFrom<-1 | 1>(-1, 1), text: fc.string({ maxLength: 12 }) });

describe("an edit", () => {
  test("of a cell changes only that cell", () => {
    fc.assert(
      fc.property(table, edits, (text, { row, column, text: typed }) => {
        const before = gridOf(text);
        if (!before[row + 1] || column >= (before[0]?.length ?? 0)) return;
        const after = changed(text, setCell(text, tableOf(text), row, column, typed));
        const expected = before.map((cells, at) => cells.map((cell, place) => (at === row + 1 && place === column ? escaped(typed) : cell)));
        expect(gridOf(after)).toEqual(expected);
        expect(after.split("\n").filter((line, at) => line !== text.split("\n")[at]).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  }, PATIENCE_MS);

  test("of rows adds, deletes or moves whole rows, each as it is written", () => {
    fc.assert(
      fc.property(table, edits, (text, { row, step }) => {
        const lines = text.split("\n");
        const rows = lines.slice(2);
        if (row < 0 || row >= rows.length) return;
        const head = lines.slice(0, 2);
        expect(changed(text, deleteRow(tableOf(text), row)).split("\n")).toEqual([...head, ...rows.filter((_, at) => at !== row)]);
        const added = changed(text, addRow(text, tableOf(text), row)).split("\n");
        expect(added.filter((_, at) => at !== row + 2)).toEqual(lines);
        const moved = changed(text, moveRow(text, tableOf(text), row, step)).split("\n").slice(2);
        expect([...moved].sort()).toEqual([...rows].sort());
        expect(moved.filter((line, at) => line !== rows[at]).length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  }, PATIENCE_MS);

  test("of columns leaves the words of all others", () => {
    fc.assert(
      fc.property(table, edits, (text, { column, step }) => {
        const before = gridOf(text);
        const width = before[0]?.length ?? 0;
        if (column >= width) return;
        const less = gridOf(changed(text, deleteColumn(text, tableOf(text), column)));
        expect(less).toEqual(before.map((cells) => cells.filter((_, place) => place !== column)));
        const more = gridOf(changed(text, addColumn(text, tableOf(text), column)));
        expect(more).toEqual(before.map((cells) => [...cells.slice(0, column), "", ...cells.slice(column)]));
        const end = gridOf(changed(text, addColumn(text, tableOf(text), width)));
        expect(end).toEqual(before.map((cells) => [...cells, ""]));
        const other = column + step;
        if (other < 0 || other >= width) return;
        const swapped = (cells: string[]): string[] => cells.map((cell, place) => (place === column ? (cells[other] ?? "") : place === other ? (cells[column] ?? "") : cell));
        expect(gridOf(changed(text, moveColumn(text, tableOf(text), column, step)))).toEqual(before.map(swapped));
      }),
      { numRuns: 400 },
    );
  }, PATIENCE_MS);

  test("of the alignment changes only the second line", () => {
    fc.assert(
      fc.property(table, fc.nat(3), fc.constantFrom("none" as const, "left" as const, "center" as const, "right" as const), (text, column, alignment) => {
        const after = changed(text, align(text, tableOf(text), column, alignment));
        expect(gridOf(after)).toEqual(gridOf(text));
        if (column < tableOf(text).alignments.length) expect(tableOf(after).alignments[column]).toBe(alignment);
      }),
    );
  });
});

test("bars in words are bars, and what people write comes back", () => {
  fc.assert(fc.property(fc.string({ maxLength: 20 }).filter((text) => !/\\/.test(text)), (text) => {
    const line = text.replace(/\s*\n\s*/g, " ").trim();
    expect(unescaped(escaped(text))).toBe(line);
  }));
  expect(escaped("a | b")).toBe("a \\| b");
  expect(escaped("a \\| b")).toBe("a \\| b");
  expect(unescaped("a \\| b")).toBe("a | b");
});

test("a new table is one", () => {
  expect(gridOf(newTable(2, 1))).toEqual([["", ""], ["", ""]]);
});
