import { afterEach, expect, test } from "vitest";

import { speak, t } from ".";
import { MARK, readPreview, show } from "./preview";

const NOW = { locale: "de", key: "time.now", text: "", entrance: false };

afterEach(() => show(undefined));

const spoken = (text: string): string => {
  show({ ...NOW, text });
  speak("de", { "time.now": "Gerade eben", "action.cancel": "Abbrechen" });
  return t("time.now");
};

test("the message is between marks, with the text that is being written", () => {
  expect(spoken("")).toBe(`${MARK}Gerade eben${MARK}`);
  expect(spoken("Jetzt")).toBe(`${MARK}Jetzt${MARK}`);
  expect(t("action.cancel")).toBe("Abbrechen");
});

test("a text that can't be shown yet leaves what is served", () => {
  expect([spoken("{n, plural,"), spoken("Um {time}")]).toEqual([`${MARK}Gerade eben${MARK}`, `${MARK}Gerade eben${MARK}`]);
});

test("only a name that says what to show makes a preview", () => {
  expect(readPreview(JSON.stringify(NOW))).toEqual(NOW);
  expect([readPreview(""), readPreview("x"), readPreview("{}"), readPreview("null"), readPreview('{"locale": 1}')]).toEqual(Array(5).fill(undefined));
});
