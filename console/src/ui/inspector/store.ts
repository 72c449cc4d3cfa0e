/** Which inspectors are open, and at which tab; kept in this browser, by type of item. */

import { useSyncExternalStore } from "react";

export type InspectorName = "note" | "document" | "file" | "conversation" | "run";

interface Kept {
  open?: boolean;
  tab?: string;
}

const KEY = "teamspace.inspector";

let kept: Partial<Record<InspectorName, Kept>> = read();
const listeners = new Set<() => void>();

function read(): typeof kept {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function keepInspector(name: InspectorName, change: Kept): void {
  kept = { ...kept, [name]: { ...kept[name], ...change } };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A full or forbidden storage only means that the next visit begins as the first did.
  }
  listeners.forEach((listener) => listener());
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useKept(name: InspectorName): Kept | undefined {
  return useSyncExternalStore(subscribe, () => kept[name]);
}
