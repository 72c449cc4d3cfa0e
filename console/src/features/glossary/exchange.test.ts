/** Glossary files. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { parseCsv } from "./csv";
import { readCsv, toCsv } from "./exchange";
import type { Term } from "./queries";

beforeAll(() => speak("en", flat(english)));

const term = (name: string, translation: string, more: Partial<Term> = {}): Term => ({
  term: name, target: "de", translation, note: "", forbidden: [], updated_at: "2026-11-16T09:00:00Z", ...more,
}); // prettier-ignore

test("what is exported can be imported again, unchanged", () => {
  const glossary = [
    term("quay", "Kai", { note: 'Not "Pier",\nwhich juts out', forbidden: ["Pier", "Steg; klein"] }),
    term("crane", "Kran", { target: "nl" }),
    term(" odd, term ".trim(), "seltsam"),
  ];
  expect(readCsv(toCsv(glossary), glossary)).toEqual({ added: [], conflicts: [], same: 3, faults: [] });
  const again = readCsv(toCsv(glossary), []).added.map(({ after }) => after);
  expect(again).toEqual(glossary.map(({ term, target, translation, note, forbidden }) => ({ term, target, translation, note, forbidden })));
});

test("new terms, and terms with another translation, are told apart", () => {
  const glossary = [term("Quay", "Kai"), term("crane", "Kran")];
  const read = readCsv("term,target,translation\nquay,DE,Kaje\ncrane,de,Kran\nship,de,Schiff\n", glossary);
  expect(read.added.map(({ line, after }) => [line, after.term])).toEqual([[4, "ship"]]);
  expect(read.conflicts.map(({ line, before, after }) => [line, before.translation, after.translation, after.term])).toEqual([[2, "Kai", "Kaje", "Quay"]]);
  expect([read.same, read.faults]).toEqual([1, []]);
});

test("faults name their line", () => {
  const text = 'term;target;translation;forbidden\n;de;Kai\n"a\nb";de;x\nquay;;Kai\nquay;xx xx;Kai\nquay;de;\nquay;de;Kai;Pier|Kai\nQuay;de;Kaje\nquay;de;Kaje\n';
  expect(readCsv(text, []).faults).toEqual([
    { line: 2, message: "No term" },
    { line: 5, message: "No target language" },
    { line: 6, message: "“xx xx” isn’t a language code" },
    { line: 7, message: "No translation" },
    { line: 8, message: "“Kai” is both the translation and a form to avoid" },
    { line: 10, message: "Repeats line 9" },
  ]);
});

test("a file without the columns, without rows or with an open quote is refused as a whole", () => {
  expect(readCsv("term,note\nquay,x\n", []).faults).toEqual([{ line: 1, message: "Columns missing: target, translation" }]);
  expect(readCsv("\uFEFF\n", []).faults).toEqual([{ line: 1, message: "The file is empty" }]);
  expect(readCsv('term,target,translation\nquay,de,"Kai\n', []).faults).toEqual([{ line: 2, message: "A quote isn’t closed" }]);
});

test("cells have commas, quotes and line breaks in quotes; tabs and semicolons separate as well", () => {
  expect(parseCsv('a,"b ""c"", d"\r\n"e\r\nf",g').map(({ line, cells }) => [line, ...cells])).toEqual([[1, "a", 'b "c", d'], [2, "e\r\nf", "g"]]);
  expect(parseCsv("a\tb\n\nc\td").map(({ line, cells }) => [line, ...cells])).toEqual([[1, "a", "b"], [3, "c", "d"]]);
});
