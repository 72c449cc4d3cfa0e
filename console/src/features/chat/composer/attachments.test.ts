import { expect, test } from "vitest";

import { isInline, keyOf, LARGEST_IMAGE } from "./attachments";

test("small images are sent with the prompt, all else is uploaded", () => {
  expect(isInline({ type: "image/png", size: LARGEST_IMAGE })).toBe(true);
  expect(isInline({ type: "image/png", size: LARGEST_IMAGE + 1 })).toBe(false);
  expect(isInline({ type: "image/svg+xml", size: 10 })).toBe(false);
  expect(isInline({ type: "application/pdf", size: 10 })).toBe(false);
});

test("an upload gets a folder by day, and its name stays one name", () => {
  expect(keyOf("a/b\\c.pdf", new Date("2026-11-16T09:00:00Z"), "k3f9")).toBe("chat/2026-11-16/k3f9/a_b_c.pdf");
});
