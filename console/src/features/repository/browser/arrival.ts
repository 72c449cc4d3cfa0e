/** Where the focus goes in a folder that a key has opened. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef, useState } from "react";

import { folderOf } from "../place";
import { folderEntry } from "./entries";

/** To the folder one has come from, or to the first entry. */
export interface Arrival {
  folder: string;
  at?: string;
}

let expected: Arrival | undefined;

export const depart = (arrival: Arrival): void => void (expected = arrival);

/** Moves the focus once, if a key has opened the folder. */
export function useArrival(folder: string, focus: (arrival: Arrival) => void): void {
  const [arrival] = useState(() => (expected?.folder === folder ? expected : undefined));
  const latest = useRef(focus);
  useLayoutEffect(() => {
    latest.current = focus;
  });
  useEffect(() => {
    expected = undefined;
    if (arrival) latest.current(arrival);
  }, [arrival]);
}

/** Opens the folder above, by a key. */
export function useUp(folder: string): () => void {
  const go = useNavigate();
  return () => {
    if (folder === "") return;
    const above = folderOf(folder.slice(0, -1));
    depart({ folder: above, at: folderEntry(folder, above).id });
    void go({ to: "/files", search: { in: above || undefined } });
  };
}
