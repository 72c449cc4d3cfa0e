/** From the tables of keys and commands to the thing that is open: who shows it hears what is wished. */

import { useEffect, useRef } from "react";

export type Wish = "create" | "edit" | "share" | "delete" | "search";
/** False says that it could not be granted here. */
type Grant = () => boolean | void;

/** Who came last is asked first. */
const listeners = new Map<Wish, Grant[]>();

/** Whether anybody could grant it. */
export function wish(what: Wish): boolean {
  return listeners.get(what)?.some((grant) => grant() !== false) ?? false;
}

export function useWish(what: Wish, grant: Grant): void {
  const latest = useRef(grant);
  useEffect(() => {
    latest.current = grant;
  });
  useEffect(() => {
    const hear: Grant = () => latest.current();
    listeners.set(what, [hear, ...(listeners.get(what) ?? [])]);
    return () => void listeners.set(what, listeners.get(what)?.filter((one) => one !== hear) ?? []);
  }, [what]);
}
