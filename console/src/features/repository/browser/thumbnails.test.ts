import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { api, Refusal } from "@/api/client";

import { fetchThumbnail, isDrawn } from "./thumbnails";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("images and PDFs of a size that the server draws have a thumbnail", () => {
  expect(isDrawn({ content_type: "image/png", size: 1 })).toBe(true);
  expect(isDrawn({ content_type: "application/pdf", size: 1 })).toBe(true);
  expect(isDrawn({ content_type: "image/svg+xml", size: 1 })).toBe(false);
  expect(isDrawn({ content_type: "image/png", size: 0 })).toBe(false);
  expect(isDrawn({ content_type: "image/png", size: 200_000_000 })).toBe(false);
});

test("three are fetched at a time, one that was scrolled past never, and a file without one has none", async () => {
  const open: ((refused?: boolean) => void)[] = [];
  const asked = vi.spyOn(api, "GET").mockImplementation(
    () => new Promise((resolve, reject) => open.push((refused) => (refused ? reject(new Refusal(404, {})) : resolve({ data: new Blob() } as never)))) as never,
  );
  const past = new AbortController();
  const found = [0, 1, 2, 3, 4].map((place) => fetchThumbnail(`${place}`, 1, "small", place === 3 ? past.signal : new AbortController().signal));
  const scrolled = expect(found[3]).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveBeenCalledTimes(3);
  past.abort();
  open[0]?.();
  open[1]?.(true);
  expect(await found[1]).toBeNull();
  await scrolled;
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveBeenCalledTimes(4);
  open[2]?.();
  open[3]?.();
  expect(await Promise.all([found[0], found[2], found[4]])).toHaveLength(3);
});
