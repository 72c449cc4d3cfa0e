/** Metrics of the last minutes, as sampled by this page. */

import type { Schemas } from "@/api/client";

type Figures = Schemas["Figures"];

export interface Sample {
  at: number;
  /** All routes, since start. */
  requests: number;
  /** Since the previous sample; undefined for the first, and after a restart. */
  perSecond: number | null;
  /** Resident memory, all processes. */
  memory: number;
}

export interface Watched {
  figures: Figures;
  samples: Sample[];
}

/** Ten minutes at one sample every five seconds. */
const KEPT = 120;
const LATE = 30_000;

export function extended(before: Watched | undefined, figures: Figures, at: number): Watched {
  const earlier = before?.samples ?? [];
  return { figures, samples: [...earlier, sampled(earlier.at(-1), figures, at)].slice(-KEPT) };
}

function sampled(last: Sample | undefined, figures: Figures, at: number): Sample {
  const requests = figures.routes.reduce((sum, route) => sum + route.count, 0);
  const memory = Object.values(figures.processes).reduce((sum, readings) => sum + (readings.process_resident_memory_bytes ?? 0), 0);
  const follows = last !== undefined && at > last.at && at - last.at < LATE && requests >= last.requests;
  return { at, requests, memory, perSecond: follows ? (requests - last.requests) / ((at - last.at) / 1000) : null };
}
