/** From the tables of keys and commands to the thing that is open: who shows it hears what is wished. */

import { useEffect, useRef } from "react";

export type Wish = "create" | "edit" | "share" | "delete";

const listeners = new Map<Wish, () => void>();

export function wish(what: Wish): void {
  listeners.get(what)?.();
}

export function useWish(what: Wish, grant: () => void): void {
  const latest = useRef(grant);
  useEffect(() => {
    latest.current = grant;
  });
  useEffect(() => {
    const hear = (): void => latest.current();
    listeners.set(what, hear);
    return () => {
      if (listeners.get(what) === hear) listeners.delete(what);
    };
  }, [what]);
}
