import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rowsOf, separatorOf } from "./csv";

describe("a table in text form", () => {
  it("has quoted fields, with separators, lines and quotes in them", () => {
    expect(rowsOf('a,b\r\n"1,5","say ""hi"""\n"two\nlines",\n', 9, true)).toEqual([["a", "b"], ["1,5", 'say "hi"'], ["two\nlines", ""]]);
    expect(rowsOf("\uFEFFa;b\n1;2", 9, true)).toEqual([["a", "b"], ["1", "2"]]);
  });

  it("is cut after some rows, and a row that may be cut is left out", () => {
    expect(rowsOf("a\nb\nc", 2, true)).toEqual([["a"], ["b"]]);
    expect(rowsOf("a,b\n1,2\n3,", 9, false)).toEqual([["a", "b"], ["1", "2"]]);
    expect(rowsOf('"never closed', 9, true)).toEqual([["never closed"]]);
  });

  it("is read back as it was written", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\n", "\r", " ", "é") });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(table, (rows) => {
        const text = rows.map((row) => row.map(quoted).join(",")).join("\r\n");
        expect(rowsOf(text, 100, true)).toEqual(rows);
      }),
    );
  });

  it("is separated by what its first line has most of", () => {
    expect([separatorOf("a;b;c\n1,2"), separatorOf('"a,b";c'), separatorOf("a\tb"), separatorOf("plain")]).toEqual([";", ";", "\t", ","]);
  });

  it("takes time in proportion to its length, whatever it contains", () => {
    for (const text of ['"'.repeat(400_000), ",".repeat(400_000), "\r".repeat(400_000), '"a""'.repeat(100_000)]) expect(rowsOf(text, 1000, true).length).toBeLessThanOrEqual(1000);
  });
});
