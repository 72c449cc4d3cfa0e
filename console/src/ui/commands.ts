/** Commands from shortcuts and the palette, handled by whatever screen is open. */

import { useEffect, useRef } from "react";

export type Command = "create" | "folder" | "edit" | "share" | "delete" | "search" | "next" | "previous" | "inspect";
/** Returns false if it can't handle the command. */
type Handler = () => boolean | void;

/** The latest listener is asked first. */
const listeners = new Map<Command, Handler[]>();

/** Whether any listener handled it. */
export function runCommand(command: Command): boolean {
  return listeners.get(command)?.some((handle) => handle() !== false) ?? false;
}

export function useCommand(command: Command, handle: Handler): void {
  const latest = useRef(handle);
  useEffect(() => {
    latest.current = handle;
  });
  useEffect(() => {
    const listener: Handler = () => latest.current();
    listeners.set(command, [listener, ...(listeners.get(command) ?? [])]);
    return () => void listeners.set(command, listeners.get(command)?.filter((one) => one !== listener) ?? []);
  }, [command]);
}
