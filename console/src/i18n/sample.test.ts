import { expect, test } from "vitest";

import { samplesOf } from "./sample";

test("a value is shown by its name, and a message without values as it is", () => {
  expect(samplesOf("At most {limit} files in {folder}", "en")).toEqual(["At most ‹limit› files in ‹folder›"]);
  expect(samplesOf("Gespeichert", "de")).toEqual(["Gespeichert"]);
});

test("there is a line for each plural form of the language", () => {
  expect(samplesOf("{n, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}", "pl")).toEqual(["1 plik", "2 pliki", "5 plików", "1,5 pliku"]);
  expect(samplesOf("{n, plural, other {#個}}", "ja")).toEqual(["1個"]);
});

test("choices, dates, tags and what is inside of branches have values", () => {
  expect(samplesOf("{what, select, edit {Edit {name}} other {See it}}", "en")).toEqual(["Edit ‹name›"]);
  expect(samplesOf("<b>{at, date}</b> and {n, number}", "en")).toEqual(["5/17/2026 and 3"]);
});

test("what is not a message has no sample", () => {
  expect([samplesOf("{n, plural, one {", "de"), samplesOf("{", "de")]).toEqual([undefined, undefined]);
});
