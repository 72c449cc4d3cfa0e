/** Rates from counters. */

import { expect, test } from "vitest";

import type { Figures } from "../queries";
import { extended, type Watched } from "./history";

const figures = (count: number): Figures =>
  ({ routes: [{ count }], processes: { one: { process_resident_memory_bytes: 7 }, two: { process_resident_memory_bytes: 5 } } }) as unknown as Figures;

const watched = (...steps: [at: number, count: number][]): Watched | undefined =>
  steps.reduce<Watched | undefined>((before, [at, count]) => extended(before, figures(count), at), undefined);

test("the first sample has no rate, the next one that of the time between", () => {
  const samples = watched([0, 10], [5_000, 20])?.samples ?? [];
  expect(samples.map((sample) => sample.perSecond)).toEqual([null, 2]);
  expect(samples.at(-1)?.memory).toBe(12);
});

test("a server that began anew, and a page that slept, leave a gap and no nonsense", () => {
  expect(watched([0, 100], [5_000, 3])?.samples.at(-1)?.perSecond).toBeNull();
  expect(watched([0, 100], [600_000, 200])?.samples.at(-1)?.perSecond).toBeNull();
});

test("only the last minutes are kept", () => {
  const steps = Array.from({ length: 300 }, (_, step): [number, number] => [step * 5_000, step]);
  expect(watched(...steps)?.samples).toHaveLength(120);
});
