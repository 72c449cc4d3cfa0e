/** Whether the server can be reached: checked when a request fails, and polled until it answers again. */

import { useSyncExternalStore } from "react";

const RETRY_MS = 3_000;
const TIMEOUT_MS = 5_000;

if (typeof window !== "undefined") window.addEventListener("online", () => void (lost && checkServer()));

let lost = false;
let checking: Promise<boolean> | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Call this when a request got no answer. Settles once it is known whether the server is gone. */
export function checkServer(): Promise<boolean> {
  checking ??= isHealthy()
    .then((healthy) => setLost(!healthy))
    .finally(() => (checking = undefined));
  return checking;
}

/** Whether the last check failed. */
export const isServerLost = (): boolean => lost;

export const useServerLost = (): boolean => useSyncExternalStore(subscribe, isServerLost);

/** Calls back each time a lost server answers again, until what it returns is called. */
export function onServerBack(call: () => void): () => void {
  let was = lost;
  return subscribe(() => {
    const isBack = was && !lost;
    was = lost;
    if (isBack) call();
  });
}

/** Resolves when the server answers; at once if it is not lost. */
export function serverBack(): Promise<void> {
  return new Promise((resolve) => {
    if (!lost) return resolve();
    const stop = onServerBack(() => {
      stop();
      resolve();
    });
  });
}

function setLost(value: boolean): boolean {
  clearTimeout(retry);
  if (value) retry = setTimeout(() => void checkServer(), RETRY_MS);
  if (value !== lost) {
    lost = value;
    [...listeners].forEach((listener) => listener());
  }
  return lost;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isHealthy(): Promise<boolean> {
  return fetch("/health", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    (response) => response.ok,
    () => false,
  );
}
