import { afterEach, expect, test, vi } from "vitest";

import { currentLocale, loadCatalog, speaks, t } from ".";
import { fileOf } from "./files";

/** A server that speaks English and German, and answers each locale when it is told to. */
function server() {
  const doors = new Map<string, () => void>();
  const words = { de: "Gerade eben", en: "just now" };
  vi.stubGlobal("fetch", async (address: string) => {
    const wanted = new URLSearchParams(address.split("?")[1]).get("locale") ?? "en";
    await new Promise<void>((open) => doors.set(wanted, open));
    const locale = wanted.startsWith("de") ? "de" : "en";
    return wanted.includes("@") ? new Response("", { status: 400 }) : Response.json({ locale, messages: { time: { now: words[locale] } } });
  });
  return async (wanted: string): Promise<void> => {
    await vi.waitFor(() => expect(doors.has(wanted)).toBe(true));
    doors.get(wanted)?.();
  };
}

afterEach(() => vi.unstubAllGlobals());

test("the words of who is here win over those of the browser, whichever come first", async () => {
  const answer = server();
  const browser = loadCatalog("en-US");
  const person = loadCatalog("de");
  await answer("de");
  await person;
  await answer("en-US");
  await browser;
  expect([t("time.now"), currentLocale()]).toEqual(["Gerade eben", "de"]);
  expect([speaks("de"), speaks("en-US")]).toEqual([true, false]);
});

test("a language that the server does not know the name of is everybody's", async () => {
  const answer = server();
  const odd = loadCatalog("en-US@posix");
  await answer("en-US@posix");
  await answer("en");
  await odd;
  expect([t("time.now"), speaks("en-US@posix")]).toEqual(["just now", true]);
});

test("the file of a locale is its own, its language's, or everyone's", () => {
  const files = { en: "/en.json", de: "/de.json", "pt-BR": "/pt-BR.json" };
  expect(["de", "DE-CH", "pt-BR", "pt", "en-US@posix", "fr"].map((wanted) => fileOf(wanted, files))).toEqual([
    "/de.json", "/de.json", "/pt-BR.json", "/en.json", "/en.json", "/en.json",
  ]);
  expect(fileOf("en", {})).toBeUndefined();
});
