/** Blocks, marks, catalogs and drafts of translations. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { blocksOf, blockWith } from "./blocks";
import { MOST_TEXTS, parseCatalog } from "./catalog";
import { checkText } from "./checkText";
import { foundDraft, keepDraft, NOTHING } from "./draft";
import { piecesOf, termsIn } from "./marks";

beforeAll(() => speak("en", flat(english)));

const TEXT = "# Quay\n\nThe crane is back.\nSo are we.\n\n- first\n- second\n\n```\ncode here\n```\n| a | b |\n|---|---|\n12\nLast.";

test("a text is divided as the server divides it", () => {
  const parts = blocksOf(TEXT).map(({ start, end }) => TEXT.slice(start, end));
  expect(parts).toEqual(["Quay", "The crane is back.\nSo are we.", "first", "second", "| a | b |", "Last."]);
});

test("a segment is found by its beginning", () => {
  const blocks = blocksOf(TEXT);
  expect(["Quay", "The crane", "second", "nowhere"].map((excerpt) => blockWith(excerpt, TEXT, blocks))).toEqual([0, 1, 3, -1]);
});

test("terms are whole words in any case, and longer terms win", () => {
  const text = "Quay walls, the QUAY  WALL and quayside";
  const found = (terms: string[], inflected = false) => termsIn(text, terms, inflected).map(({ start, end }) => text.slice(start, end));
  expect(found(["quay", "quay wall"])).toEqual(["Quay", "QUAY  WALL"]);
  expect(found(["quay", "quay wall"], true)).toEqual(["Quay walls", "QUAY  WALL", "quayside"]);
  expect(termsIn("港の岸壁です", ["岸壁"])).toEqual([{ start: 2, end: 4 }]);
  expect(termsIn("to check-in", ["check-in"])).toEqual([{ start: 3, end: 11 }]);
  expect(termsIn("a (b) c", ["(b)", ""])).toEqual([{ start: 2, end: 5 }]);
});

test("marks cut the text and lose none of it", () => {
  const text = "The quay is long. Bye.";
  const pieces = piecesOf(text, termsIn(text, ["quay"]), { start: 0, end: 17 });
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces).toEqual([
    { text: "The ", term: false, inBlock: true }, { text: "quay", term: true, inBlock: true },
    { text: " is long.", term: false, inBlock: true }, { text: " Bye.", term: false, inBlock: false },
  ]);
  expect(piecesOf("", [])).toEqual([]);
});

test("a nested catalog is translated by its texts and rebuilt with everything else", () => {
  const file = { menu: { "open.all": "Open", list: ["One", 2] }, "menu.open": { all: "Opened" }, empty: "", on: true };
  const { catalog } = parseCatalog(JSON.stringify(file));
  expect(catalog?.texts).toEqual({ "menu.open.all": "Open", "menu.list.0": "One", "/menu.open/all": "Opened" });
  expect(catalog?.others).toBe(3);
  expect(catalog?.rebuild({ "menu.open.all": "Öffnen", "menu.list.0": "Eins", "/menu.open/all": "Geöffnet" })).toEqual({
    menu: { "open.all": "Öffnen", list: ["Eins", 2] }, "menu.open": { all: "Geöffnet" }, empty: "", on: true,
  });
});

test("what isn't a catalog is refused with the reason", () => {
  expect(parseCatalog('{\n "a": "b",\n oops\n}').fault).toBe("This isn’t valid JSON. Check line 3.");
  expect(parseCatalog("[1]").fault).toBe("A catalog is an object of keys and texts.");
  expect(parseCatalog('{"a": 1}').fault).toBe("There are no texts in this file.");
  const many = Object.fromEntries(Array.from({ length: MOST_TEXTS + 1 }, (_, place) => [`k${place}`, "x"]));
  expect(parseCatalog(JSON.stringify(many)).fault).toBe("2,001 texts are too many at once: the limit is 2,000. Split the file.");
});

test("a failed check is told in the language of the console", () => {
  const failed = { check: "placeholders", segment: 0, excerpt: "", message: "By the server.", params: { missing: "{name}", added: "-" } } as const;
  speak("de", { "refusals.translation.check_placeholders": "Platzhalter fehlen: {missing}." });
  expect(checkText(failed)).toBe("Platzhalter fehlen: {name}.");
  expect(checkText({ ...failed, check: "icu" })).toBe("By the server.");
  speak("en", flat(english));
});

test("a draft comes back to who wrote it until nothing is left to translate", () => {
  const kept = new Map<string, string>();
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const draft = { text: "Hello", catalog: "", source: "", target: "de" };
  keepDraft("ann", draft, shelf);
  expect(foundDraft("ann", shelf)).toEqual(draft);
  expect(foundDraft("bob", shelf)).toEqual(NOTHING);
  keepDraft("ann", { ...draft, text: " " }, shelf);
  expect([...kept.keys()]).toEqual(["teamspace.translate.ann"]);
  expect(foundDraft("ann", shelf)).toEqual({ ...NOTHING, target: "de" });
});
