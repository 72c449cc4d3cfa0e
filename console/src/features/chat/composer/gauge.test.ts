import { expect, test } from "vitest";

import type { Usage } from "../queries";
import { shareLeft, tightest } from "./gauge";

const row = (dimension: Usage["dimension"], limit: number | null, remaining: number | null): Usage => ({
  dimension, limit, remaining, used: 0, reserved: 0, window: "day", resets_at: null, level: "team", forecast: null,
});

test("the limit that is reached first counts", () => {
  const rows = [row("ai.requests", 100, 50), row("ai.tokens.total", 1000, 100), row("ai.concurrency", 4, 0), row("storage.bytes", 10, 0)];
  expect(tightest(rows)?.dimension).toBe("ai.tokens.total");
  expect(tightest([row("ai.requests", null, null)])).toBeUndefined();
  expect(tightest([row("ai.requests", 0, 0), row("ai.tokens.total", 10, 1)])?.dimension).toBe("ai.requests");
});

test("a share is between nothing and all", () => {
  expect([shareLeft({ limit: 10, remaining: 5 }), shareLeft({ limit: 10, remaining: -3 }), shareLeft({ limit: 0, remaining: 0 })]).toEqual([0.5, 0, 0]);
});
