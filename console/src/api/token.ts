/**
 * The session's token. It lives in this tab's session storage, so that a reload keeps it and closing the tab
 * forgets it; a new tab asks the others. It is never in local storage and never in an address.
 */

import { preview } from "@/i18n/preview";

const KEY = "teamspace.token";
const listeners = new Set<() => void>();
const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("teamspace");

type Message = { ask: true } | { token: string } | { signedOut: true };

tabs?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  const current = sessionStorage.getItem(KEY);
  if ("ask" in data && current) tabs.postMessage({ token: current } satisfies Message);
  if ("signedOut" in data && current) drop();
});

function set(value: string): void {
  sessionStorage.setItem(KEY, value);
  listeners.forEach((listener) => listener());
}

function drop(): void {
  if (!sessionStorage.getItem(KEY)) return;
  sessionStorage.removeItem(KEY);
  listeners.forEach((listener) => listener());
}

/** The token of another tab, if one answers in time. */
function borrow(patience = 150): Promise<void> {
  if (sessionStorage.getItem(KEY) || !tabs) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      tabs.removeEventListener("message", hear);
      resolve();
    };
    const hear = ({ data }: MessageEvent<Message>): void => {
      if (!("token" in data)) return;
      set(data.token);
      done();
    };
    tabs.addEventListener("message", hear);
    tabs.postMessage({ ask: true } satisfies Message);
    setTimeout(done, patience);
  });
}

export const token = {
  get: (): string | null => (preview()?.entrance ? null : sessionStorage.getItem(KEY)),
  set,
  drop,
  borrow,
  /** Ends the session in every tab. */
  signOut(): void {
    tabs?.postMessage({ signedOut: true } satisfies Message);
    drop();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
