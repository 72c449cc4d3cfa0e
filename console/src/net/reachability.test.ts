import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { checkServer, isServerLost, onServerBack, serverBack } from "./reachability";

let up = true;
const fetched = vi.fn(() => (up ? Promise.resolve(new Response("{}")) : Promise.reject(new TypeError("refused"))));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
  fetched.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a lost server is asked until it answers, and then everyone is told once", async () => {
  up = false;
  const back = vi.fn();
  const stop = onServerBack(back);
  expect(await checkServer()).toBe(true);
  const waiting = serverBack();
  await vi.advanceTimersByTimeAsync(3_000);
  expect([isServerLost(), back.mock.calls.length, fetched.mock.calls.length]).toEqual([true, 0, 2]);
  up = true;
  await vi.advanceTimersByTimeAsync(3_000);
  await waiting;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([isServerLost(), back.mock.calls.length, fetched.mock.calls.length]).toEqual([false, 1, 3]);
  stop();
});

test("one request that failed while the server is up costs one check", async () => {
  up = true;
  expect(await Promise.all([checkServer(), checkServer()])).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).toHaveBeenCalledTimes(1);
});
