/**
 * Staying signed in: the browser has a cookie that no script can read, and exchanges it for a session.
 *
 * Local storage says whether there is one, so that visitors who have none ask for nothing.
 */

import { useSyncExternalStore } from "react";

import { retryWhileBusy } from "@/net/busy";

import type { components } from "./schema";
import { token } from "./token";

type Schemas = components["schemas"];

const KEY = "teamspace.stay";
const LOCK = "teamspace.resume";

/** `ending`: somebody signed out while the server couldn't be told. */
type Kept = "kept" | "ending" | null;

/** What is known when the console is opened: whether the person is still signed in is being found out, or can't be. */
export type Entering = "done" | "asking" | "failed";

let entering: Entering = "done";
let asking: Promise<void> | undefined;
let personShown: () => string | undefined = () => undefined;
const listeners = new Set<() => void>();

export const staying = {
  /** After a sign-in: the browser keeps the person signed in, or no longer. */
  set(kept: boolean): void {
    if (kept) localStorage.setItem(KEY, "kept");
    else localStorage.removeItem(KEY);
  },
  /** After a sign-out; if the server wasn't told, it is the next time. */
  end(told: boolean): void {
    if (told) localStorage.removeItem(KEY);
    else if (keptNow()) localStorage.setItem(KEY, "ending");
  },
  /** Tells whose data is on the screen. */
  watch(shown: typeof personShown): void {
    personShown = shown;
  },
  enter,
  /** The server is back: if it couldn't be asked before, it is now. */
  enterAgain: (): void => void (entering === "failed" && enter()),
  renew,
};

export const useEntering = (): Entering => useSyncExternalStore(subscribe, () => entering);

const keptNow = (): Kept => localStorage.getItem(KEY) as Kept;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setEntering(value: Entering): void {
  entering = value;
  listeners.forEach((listener) => listener());
}

/** When the console is opened: finds the session of this tab, of another tab, or of the browser. */
async function enter(): Promise<void> {
  if (token.get()) return;
  if (!keptNow()) return token.borrow();
  setEntering("asking");
  try {
    if (keptNow() === "ending") await finishSignOut();
    else await inTurn(resume);
    setEntering("done");
  } catch {
    setEntering("failed");
  }
}

/**
 * Gets a new token instead of one that has expired; false if the person must sign in. Rejects if the server can't be
 * asked. Tabs take turns, so that the next one takes what the one before was given.
 */
async function renew(used: string): Promise<boolean> {
  if (token.get() !== used) return token.follows(used);
  if (keptNow() !== "kept") return false;
  asking ??= inTurn(() => replace(used)).finally(() => (asking = undefined));
  await asking;
  return token.follows(used) && token.get() !== used;
}

async function replace(used: string): Promise<void> {
  // The tab before may have told its new token.
  if (token.get() !== used) return;
  const session = await exchange();
  if (session === null || token.get() !== used) return;
  const shown = personShown();
  if (shown === undefined || shown === session.user.id) return token.renew(session.token);
  // Somebody else signed in meanwhile: nothing of the screen is theirs.
  token.drop();
  location.reload();
}

/** For a page without a session: that of another tab, else a new one. */
async function resume(): Promise<void> {
  const current = (await token.ofOtherTab()) ?? (await exchange())?.token;
  if (current) token.set(current);
}

async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  // Only secure pages have locks; without them the server still lets in tabs that ask at the same time.
  return "locks" in navigator ? await navigator.locks.request(LOCK, act) : act();
}

/** A new session for the cookie; null if it is worth nothing any more. */
async function exchange(): Promise<Schemas["SignedIn"] | null> {
  const headers = { "content-type": "application/json", "x-requested-by": "console" };
  const response = await retryWhileBusy(() => fetch("/api/login/resume", { method: "POST", headers, body: "{}", cache: "no-store" }));
  if (response.ok) return (await response.json()) as Schemas["SignedIn"];
  if (response.status !== 401 && response.status !== 403) throw new Error(response.statusText);
  localStorage.removeItem(KEY);
  return null;
}

async function finishSignOut(): Promise<void> {
  const session = await inTurn(exchange);
  if (session) await fetch("/api/logout", { method: "POST", headers: { authorization: `Bearer ${session.token}` } });
  localStorage.removeItem(KEY);
}
