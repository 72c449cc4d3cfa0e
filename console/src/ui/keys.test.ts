import { beforeAll, expect, test } from "vitest";

import german from "../../../teamspace/catalogs/de.json";
import { flat, speak } from "@/i18n";

import { keyWords } from "./keys";

beforeAll(() => speak("de", flat(german)));

test("keys are named as they are on the keyboard", () => {
  expect(keyWords("Control+Z Meta+Z", false)).toBe("Strg+Z");
  expect(keyWords("Control+Shift+X Meta+Shift+X", false)).toBe("Strg+Umschalt+X");
  expect(keyWords("Control+Shift+X Meta+Shift+X", true)).toBe("⌘⇧X");
});
