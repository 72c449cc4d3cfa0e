/** Open state of a dialog, shared so that the command palette can open it from anywhere. */

import { useSyncExternalStore } from "react";

export interface Opening {
  open: () => void;
  close: () => void;
  isOpened: () => boolean;
  useOpened: () => boolean;
}

export function createOpening(): Opening {
  let opened = false;
  const listeners = new Set<() => void>();
  const set = (value: boolean): void => {
    opened = value;
    listeners.forEach((listener) => listener());
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    open: () => set(true),
    close: () => set(false),
    isOpened: () => opened,
    useOpened: () => useSyncExternalStore(subscribe, () => opened),
  };
}
