/** Whether the rail is folded to its icons; kept in this browser. */

import { useSyncExternalStore } from "react";

const KEY = "teamspace.rail";
const listeners = new Set<() => void>();
let folded = read();

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === "folded";
  } catch {
    return false;
  }
}

export function toggleRail(): void {
  folded = !folded;
  try {
    localStorage.setItem(KEY, folded ? "folded" : "open");
  } catch {
    // Without storage, the rail is as it was on the next visit.
  }
  listeners.forEach((listener) => listener());
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useFolded = (): boolean => useSyncExternalStore(subscribe, () => folded);
