import { expect, test } from "vitest";

import type { Prospect } from "../api";
import { localized, nameOf } from "./words";

const prospect = (fields: Prospect["fields"]) => ({ fields, email: "eva@example.org" }) as Prospect;

test("a prospect is called by the name they gave, else by their address", () => {
  expect(nameOf(prospect({ full_name: "Eva Berg" }))).toBe("Eva Berg");
  expect(nameOf(prospect({ name: "  ", why: "Boats" }))).toBe("eva@example.org");
});

test("a text is found in the wanted language, its base, or another", () => {
  const texts = { de: "Warum?", en: "Why?" };
  expect(localized(texts, "de-AT")).toBe("Warum?");
  expect(localized(texts, "is")).toBe("Why?");
  expect(localized({ fi: "Miksi?" }, "is")).toBe("Miksi?");
  expect(localized({}, "is")).toBeUndefined();
});
