/** What changes on the server, as it happens: one event stream per session, shared by the tabs of this browser. */

import { useSyncExternalStore } from "react";

import type { ServerEvent } from "@/net/eventParser";
import { onServerBack } from "@/net/reachability";
import { SharedEvents } from "@/net/sharedEvents";

import { refused } from "./client";
import { sentWith } from "./renewing";
import { staying } from "./staying";
import { token } from "./token";

/** Which thing changed, and how; never its content. */
export interface Change {
  type: string;
  id: string;
  change: "created" | "updated" | "deleted";
}

export interface Follower {
  onChange: (change: Change) => void;
  /** Changes may have been missed. */
  onGap: () => void;
  /** The caller's rights changed, or too much happened: nothing that was fetched is certain. */
  onReset: () => void;
}

let connected = false;
const listeners = new Set<() => void>();

/** Whether changes are told as they happen; while they aren't, screens poll. */
export const useLive = (): boolean => useSyncExternalStore(subscribe, () => connected);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setConnected(value: boolean): void {
  connected = value;
  listeners.forEach((listener) => listener());
}

/** Follows the server for as long as someone is signed in. */
export function followServer(follower: Follower): void {
  let shared: SharedEvents | undefined;
  let followed: string | null = null;
  const turn = async (): Promise<void> => {
    const current = token.get();
    if (current === followed) return;
    followed = current;
    shared?.stop();
    shared = undefined;
    if (current === null) return;
    const name = await nameOf(current);
    if (followed === current) shared = open(name, current, follower);
  };
  const leave = (): void => {
    shared?.stop();
    shared = undefined;
    followed = null;
  };
  token.subscribe(() => void turn());
  onServerBack(() => shared?.nudge());
  window.addEventListener("online", () => shared?.nudge());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && shared?.nudge());
  // A page that is kept for Back holds nothing; when it is shown again, it has missed what happened.
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", () => void turn());
  void turn();
}

function open(name: string, current: string, { onChange, onGap, onReset }: Follower): SharedEvents {
  return new SharedEvents({
    name,
    connect: (lastEventId, signal) => fetch("/api/events", { headers: headersOf(current, lastEventId), cache: "no-store", signal }),
    onRefused: (response) => void refuse(response, current),
    onEvent: (event) => {
      if (event.name === "reset") onReset();
      const change = event.name === "change" && changeOf(event);
      if (change) onChange(change);
    },
    onGap,
    onConnected: setConnected,
  });
}

/** A new token opens a new stream; without one, the session is over. */
async function refuse(response: Response, used: string): Promise<void> {
  // If the server can't be asked, the next request finds out.
  if (!(await staying.renew(used).catch(() => true))) await refused(sentWith(used, response));
}

function headersOf(current: string, lastEventId: string | undefined): Record<string, string> {
  const headers = { accept: "text/event-stream", authorization: `Bearer ${current}` };
  return lastEventId ? { ...headers, "last-event-id": lastEventId } : headers;
}

/** What isn't a change is none: a newer server may tell more. */
export function changeOf({ data }: ServerEvent): Change | undefined {
  try {
    const change = JSON.parse(data) as Change | null;
    return typeof change?.type === "string" && typeof change.id === "string" ? change : undefined;
  } catch {
    return undefined;
  }
}

/** The same for all tabs of a session, and for no other; doesn't contain the token. */
async function nameOf(current: string): Promise<string> {
  // Only where there are locks is the name used by other tabs, and only there is there a digest.
  if (!crypto.subtle) return "teamspace.live";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(current));
  return `teamspace.live.${Array.from(new Uint8Array(digest).slice(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
