/** Storage quotas in readable units. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { capacity } from "./quantities";
import { limitOf } from "./QuotaTable";
import { amount, fullQuotaWords } from "./quotaWords";

beforeAll(() => speak("en", flat(english)));

test("bytes are shown in the units in which limits of storage are set", () => {
  expect([0, 1023, 1536, 5 * 1024 ** 3, 1024 ** 4].map(capacity)).toEqual(["0 B", "1,023 B", "1.5 KiB", "5 GiB", "1 TiB"]);
  expect(amount("storage.objects", 100_000)).toBe("100,000");
});

test("a limit of storage names no window", () => {
  expect(limitOf({ dimension: "storage.bytes", limit: 5 * 1024 ** 3, window: "lifetime" })).toBe("5 GiB");
  expect(limitOf({ dimension: "ai.requests", limit: 100, window: "day" })).toBe("100 per day");
});

test("who has no room is told what makes some", () => {
  expect(fullQuotaWords({ dimension: "storage.bytes", level: "team", resets_at: null })).toBe(
    "The team doesn’t have enough storage left. Delete something, or ask an operator to raise the limit.",
  );
});
