/**
 * The session's token. It lives in this tab's session storage, so that a reload keeps it and closing the tab
 * forgets it; a new tab asks the others, then the server (`staying.ts`). It is never in local storage and never in an
 * address.
 */

import { preview } from "@/i18n/preview";

const KEY = "teamspace.token";
/** A lock that every tab with a session holds, so that another one knows whether to wait for an answer. */
const HELD = "teamspace.session";
const PATIENCE = { held: 3_000, unknown: 150 };
const listeners = new Set<() => void>();
const renewals = new Set<Renewal>();
const successors = new Map<string, string>();
const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("teamspace");

type Renewal = (used: string, current: string) => void;
type Message = { ask: true } | { token: string } | { used: string; current: string } | { signedOut: true };

tabs?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  const current = sessionStorage.getItem(KEY);
  if ("ask" in data && current) tabs.postMessage({ token: current } satisfies Message);
  if ("used" in data && current === data.used) replace(data.used, data.current);
  if ("signedOut" in data && current) drop();
});

// Only secure pages have locks.
const locks = typeof navigator === "undefined" ? undefined : (navigator.locks as LockManager | undefined);
let release: (() => void) | undefined;

if (typeof sessionStorage !== "undefined" && sessionStorage.getItem(KEY)) hold();

function hold(): void {
  if (release || !locks) return;
  const until = new Promise<void>((resolve) => (release = resolve));
  void locks.request(HELD, { mode: "shared" }, () => until);
}

function set(value: string): void {
  sessionStorage.setItem(KEY, value);
  hold();
  listeners.forEach((listener) => listener());
}

function drop(): void {
  if (!sessionStorage.getItem(KEY)) return;
  sessionStorage.removeItem(KEY);
  release?.();
  release = undefined;
  listeners.forEach((listener) => listener());
}

/** The same person goes on with another token. */
function replace(used: string, current: string): void {
  successors.set(used, current);
  renewals.forEach((renewal) => renewal(used, current));
  set(current);
}

function renew(current: string): void {
  const used = sessionStorage.getItem(KEY);
  if (used === null) return set(current);
  replace(used, current);
  tabs?.postMessage({ used, current } satisfies Message);
}

/** Whether the present token was given to the person who had that one: nothing is sent as somebody else. */
function follows(used: string): boolean {
  let last = used;
  for (let next = successors.get(last); next !== undefined; next = successors.get(last)) last = next;
  return last === sessionStorage.getItem(KEY);
}

/** The token of another tab, if one has a session and answers in time. */
async function ofOtherTab(): Promise<string | null> {
  const isHeld = locks && (await locks.query()).held?.some(({ name }) => name === HELD);
  if (!tabs || isHeld === false) return null;
  return await answered(tabs, isHeld ? PATIENCE.held : PATIENCE.unknown);
}

function answered(tabs: BroadcastChannel, patience: number): Promise<string | null> {
  return new Promise((resolve) => {
    const done = (found: string | null): void => {
      tabs.removeEventListener("message", hear);
      resolve(found);
    };
    const hear = ({ data }: MessageEvent<Message>): void => {
      if ("token" in data) done(data.token);
    };
    tabs.addEventListener("message", hear);
    tabs.postMessage({ ask: true } satisfies Message);
    setTimeout(() => done(null), patience);
  });
}

async function borrow(): Promise<void> {
  if (sessionStorage.getItem(KEY)) return;
  const found = await ofOtherTab();
  if (found) set(found);
}

export const token = {
  get: (): string | null => (preview()?.entrance ? null : sessionStorage.getItem(KEY)),
  set,
  drop,
  borrow,
  ofOtherTab,
  renew,
  follows,
  /** Ends the session in every tab. */
  signOut(): void {
    tabs?.postMessage({ signedOut: true } satisfies Message);
    drop();
  },
  /** Calls back before a token is replaced by another one of the same person. */
  onRenewal(renewal: Renewal): void {
    renewals.add(renewal);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
