/** The last minutes of the instance's figures, as far as this page has seen them. */

import type { Figures } from "../queries";

export interface Sample {
  at: number;
  /** Of all routes together, since the start. */
  requests: number;
  /** Since the sample before; nothing for the first, and where the server began anew. */
  perSecond: number | null;
  /** Resident, of all processes together. */
  memory: number;
}

export interface Watched {
  figures: Figures;
  samples: Sample[];
}

/** Ten minutes at one every five seconds. */
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
