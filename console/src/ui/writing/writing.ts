/**
 * One thing being written: keeps what is not saved in this browser from the first key, saves itself at the pace of its
 * kind, tries again when the server cannot be reached, and stops for a person when somebody else wrote the same lines.
 * It knows no screen.
 */

import { Refusal } from "@/api/client";

import type { Draft, Drafts } from "./drafts";
import { rebase } from "./merge";
import { AT_EVERY_PAUSE, type Kept, type Manner, type Pace, type Written } from "./text";

/** The id of what the server has not seen yet. */
export const NEW = "new";

const FIRST_RETRY = 2_000;
const LONGEST_RETRY = 30_000;
const PASSING = new Set([0, 429, 502, 503, 504]);

/** What writing needs from outside: the server, and somebody to tell. */
export interface Desk<Text extends Written> {
  manner: Manner<Text>;
  untitled: string;
  create(text: Text, key: string): Promise<Kept<Text>>;
  update(id: string, change: Partial<Text>, version: number): Promise<Kept<Text>>;
  fetch(id: string): Promise<Kept<Text>>;
  saved(kept: Kept<Text>, wasNew: boolean): void;
}

export type Word = "new" | "saved" | "editing" | "saving" | "offline" | "refused" | "conflict";

export interface Conflict<Text extends Written = Written> {
  base: Text;
  theirs: Kept<Text>;
}

export interface Snapshot<Text extends Written = Written> {
  id: string | null;
  text: Text;
  version: number;
  word: Word;
  /** Whether this browser holds what is not saved. */
  kept: boolean;
  /** Left by an earlier visit: to be restored or discarded before anything else is written. */
  offer: Draft<Text> | null;
  conflict: Conflict<Text> | null;
  fault: unknown;
}

/** `crypto.randomUUID` is there over https and on this machine alone; within a house people come over http. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let born = 0;

export class Writing<Text extends Written = Written> {
  readonly key = `writing-${++born}`;
  readonly #desk: Desk<Text>;
  readonly #drafts: Drafts<Text>;
  readonly #listeners = new Set<() => void>();
  #id: string | null;
  /** The address it was opened by, until its screen shows it under its own. */
  #openedAs: string;
  #base: Text;
  #mine: Text;
  #version: number;
  #offer: Draft<Text> | null;
  #conflict: Conflict<Text> | null = null;
  #fault: unknown = null;
  #kept = true;
  #sending: Promise<void> | null = null;
  #firstTry: { key: string; text: Text } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dirtySince = 0;
  #stopped = false;
  #retry = FIRST_RETRY;
  #snapshot: Snapshot<Text>;

  constructor(desk: Desk<Text>, drafts: Drafts<Text>, kept: Kept<Text> | null) {
    this.#desk = desk;
    this.#drafts = drafts;
    this.#id = kept?.id ?? null;
    this.#openedAs = this.#slot;
    this.#base = this.#mine = kept ? desk.manner.textOf(kept) : desk.manner.empty;
    this.#version = kept?.version ?? 0;
    const draft = drafts.find(this.#slot);
    this.#offer = draft && !desk.manner.same(draft.text, this.#base) ? draft : null;
    if (draft && !this.#offer) drafts.drop(this.#slot);
    this.#snapshot = this.#picture();
  }

  get snapshot(): Snapshot<Text> {
    return this.#snapshot;
  }

  /** Nobody looks, and there is nothing left to do: it can be forgotten. */
  get settled(): boolean {
    return this.#listeners.size === 0 && !this.#sending && (!this.#dirty || this.#conflict !== null || !this.#isPassing);
  }

  /** Whether it is what an address shows. */
  isFor(id: string): boolean {
    return id === this.#slot || id === this.#openedAs;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Saved after a pause, or at once where it is none. */
  write(part: Partial<Text>, pause?: 0): void {
    // An editor tells what it was given, too: that is no reason to wait any longer.
    if (Object.entries(part).every(([field, value]) => this.#mine[field as keyof Text] === value)) return;
    if (!this.#dirty) this.#dirtySince = Date.now();
    this.#mine = { ...this.#mine, ...part };
    this.#keep();
    if (!this.#dirty) this.#fault = null;
    // While the server cannot be reached, the next try is on its way already.
    if (!this.#fault || !this.#isPassing) this.#saveIn(Math.min(pause ?? this.#pace.pause, this.#patience));
    this.#publish();
  }

  /** Saves at once what is not saved. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#sending) await this.#sending;
    if (!this.#dirty || this.#conflict || this.#stopped) return;
    this.#sending = this.#send();
    this.#publish();
    await this.#sending;
  }

  /** What the server has now, asked for by whoever shows it: taken unless there is something unsaved. */
  meet(kept: Kept<Text>): void {
    if (kept.id !== this.#id) return;
    this.#openedAs = kept.id;
    if (kept.version <= this.#version || this.#dirty || this.#sending) return;
    this.#rest(kept);
    this.#publish();
  }

  restore(): void {
    if (!this.#offer) return;
    this.#mine = this.#offer.text;
    if (this.#offer.version < this.#version) {
      // The text was made from an older version: the server will say so, and the base of the merge is that version.
      this.#base = this.#offer.base;
      this.#version = this.#offer.version;
    }
    this.#offer = null;
    this.#saveIn(0);
    this.#publish();
  }

  discard(): void {
    this.#offer = null;
    this.#drafts.drop(this.#slot);
    this.#publish();
  }

  /** Ends a conflict with a text: mine, or one that was merged. */
  settle(text: Pick<Text, "title" | "body">): void {
    if (!this.#conflict) return;
    const { base, theirs } = this.#conflict;
    this.#mine = { ...this.#mine, ...text, ...this.#desk.manner.mergeLabels(base, this.#mine, theirs) };
    this.#base = this.#desk.manner.textOf(theirs);
    this.#version = theirs.version;
    this.#conflict = null;
    this.#keep();
    this.#saveIn(0);
    this.#publish();
  }

  takeTheirs(): void {
    if (!this.#conflict) return;
    this.#rest(this.#conflict.theirs);
    this.#publish();
  }

  /** It is gone or closed to me: what I wrote becomes a thing of its own. */
  startOver(): void {
    this.#drafts.drop(this.#slot);
    this.#id = null;
    this.#version = 0;
    this.#base = this.#desk.manner.empty;
    this.#mine = { ...this.#mine, visibility: "private" };
    this.#fault = this.#conflict = null;
    this.#keep();
    this.#saveIn(0);
    this.#publish();
  }

  /** It was deleted on purpose: nothing of it is kept here. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#mine = this.#base;
    this.#offer = this.#conflict = this.#fault = null;
    this.#drafts.drop(this.#slot);
    this.#publish();
  }

  /** Whoever wrote it has gone: nothing more is sent in anybody else's name. What is not saved stays in this browser. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped = true;
  }

  get #slot(): string {
    return this.#id ?? NEW;
  }

  get #dirty(): boolean {
    return !this.#desk.manner.same(this.#mine, this.#base);
  }

  /** Text that is nowhere but in this page must not wait. */
  get #pace(): Pace {
    return this.#kept ? this.#desk.manner.pace : AT_EVERY_PAUSE;
  }

  get #patience(): number {
    return Math.max(0, this.#dirtySince + this.#pace.longest - Date.now());
  }

  get #isPassing(): boolean {
    return !this.#fault || (this.#fault instanceof Refusal && PASSING.has(this.#fault.status));
  }

  #saveIn(wait: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  async #send(): Promise<void> {
    const sent = this.#mine;
    try {
      if (this.#id) this.#accept(sent, await this.#desk.update(this.#id, this.#change(sent), this.#version), false);
      else await this.#create(sent);
      this.#fault = null;
      this.#retry = FIRST_RETRY;
      if (this.#dirty) this.#saveIn(this.#pace.pause);
    } catch (fault) {
      await this.#failed(fault);
    } finally {
      this.#sending = null;
      this.#publish();
    }
  }

  /** A first try whose answer was lost is sent again as it was: the key makes it one, whatever was typed since. */
  async #create(text: Text): Promise<void> {
    this.#firstTry ??= { key: randomKey(), text };
    const { text: sent, key } = this.#firstTry;
    const kept = await this.#desk.create({ ...sent, title: this.#titleOf(sent) }, key);
    this.#firstTry = null;
    this.#drafts.drop(NEW);
    this.#id = kept.id;
    this.#accept(sent, kept, true);
  }

  #accept(sent: Text, kept: Kept<Text>, wasNew: boolean): void {
    this.#base = sent;
    this.#version = kept.version;
    this.#dirtySince = Date.now();
    this.#keep();
    this.#desk.saved(kept, wasNew);
  }

  #change(text: Text): Partial<Text> {
    const change = this.#desk.manner.changeOf(this.#base, text);
    return change.title === undefined ? change : { ...change, title: this.#titleOf(text) };
  }

  #titleOf(text: Text): string {
    return text.title.trim() || this.#desk.untitled;
  }

  async #failed(fault: unknown): Promise<void> {
    const refusal = fault instanceof Refusal ? fault : null;
    if (refusal?.code === "version_mismatch" && this.#id) {
      await this.#overtaken(this.#id);
      return;
    }
    this.#fault = fault;
    if (refusal && PASSING.has(refusal.status)) {
      this.#saveIn(Math.max(this.#retry, (refusal.problem.retry_after ?? 0) * 1000));
      this.#retry = Math.min(this.#retry * 2, LONGEST_RETRY);
    } else {
      this.#firstTry = null;
    }
  }

  async #overtaken(id: string): Promise<void> {
    try {
      const theirs = await this.#desk.fetch(id);
      const merged = rebase(this.#desk.manner, this.#base, this.#mine, theirs);
      this.#fault = null;
      if (!merged) {
        this.#conflict = { base: this.#base, theirs };
        return;
      }
      this.#mine = merged;
      this.#base = this.#desk.manner.textOf(theirs);
      this.#version = theirs.version;
      this.#keep();
      this.#saveIn(0);
    } catch (fault) {
      await this.#failed(fault);
    }
  }

  /** Nothing unsaved: as the server has it. */
  #rest(kept: Kept<Text>): void {
    clearTimeout(this.#timer);
    this.#base = this.#mine = this.#desk.manner.textOf(kept);
    this.#version = kept.version;
    this.#conflict = this.#fault = null;
    if (!this.#offer) this.#drafts.drop(this.#slot);
  }

  #keep(): void {
    // What waits to be restored stays until somebody has chosen.
    if (this.#offer) return;
    if (this.#dirty) {
      const draft = { text: this.#mine, base: this.#base, version: this.#version, at: new Date().toISOString() };
      this.#kept = this.#drafts.keep(this.#slot, draft);
    } else {
      this.#drafts.drop(this.#slot);
      this.#kept = true;
    }
  }

  #word(): Word {
    if (this.#conflict) return "conflict";
    if (this.#fault) return this.#isPassing ? "offline" : "refused";
    if (this.#sending) return "saving";
    if (this.#dirty) return "editing";
    return this.#id ? "saved" : "new";
  }

  #picture(): Snapshot<Text> {
    return {
      id: this.#id, text: this.#mine, version: this.#version, word: this.#word(), kept: this.#kept,
      offer: this.#offer, conflict: this.#conflict, fault: this.#fault,
    };
  }

  #publish(): void {
    this.#snapshot = this.#picture();
    this.#listeners.forEach((listener) => listener());
  }
}
