/** Names of languages, and those used last. */

import { beforeAll, expect, test } from "vitest";

import { languageName, speak } from "@/i18n";

import { allLanguages, canonical, isMatch, languageOf } from "./names";
import { recentLanguages, rememberLanguage } from "./recent";

beforeAll(() => speak("en", {}));

test("every language has a name, and none is listed twice", () => {
  const languages = allLanguages();
  expect(languages.filter(({ code, name }) => code === name)).toEqual([]);
  expect(new Set(languages.map(({ code }) => code)).size).toBe(languages.length);
  expect(languages.map(({ name }) => name)).toContain("German");
});

test("a language is found by its name, by its own name without accents, and by its code", () => {
  const french = languageOf("fr");
  expect(["fren", "Francais", "fr"].every((typed) => isMatch(french, typed))).toBe(true);
  expect(isMatch(french, "german")).toBe(false);
});

test("tags are brought into one form, and other words are no tags", () => {
  expect([canonical("PT-br"), canonical(" de "), canonical("not a language")]).toEqual(["pt-BR", "de", undefined]);
  expect(languageName("not a language")).toBe("not a language");
});

test("the languages used last come first, five at most, for each person", () => {
  const kept = new Map<string, string>();
  const shelf = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
  for (const code of ["de", "fr", "nl", "is", "es", "da", "fr"]) rememberLanguage("ann", code, shelf);
  expect(recentLanguages("ann", shelf)).toEqual(["fr", "da", "es", "is", "nl"]);
  expect(recentLanguages("bob", shelf)).toEqual([]);
  kept.set("teamspace.languages.bob", "{broken");
  expect(recentLanguages("bob", shelf)).toEqual([]);
});
