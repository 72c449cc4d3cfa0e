/**
 * Editing session of one item: drafts unsaved text in this browser from the first keystroke, autosaves at the pace of its
 * kind, retries when the server can't be reached, merges what someone else saved, and asks the user when both changed the
 * same words.
 * Independent of any screen.
 */

import { Refusal } from "@/api/client";
import { randomKey } from "@/api/randomKey";

import { NEW, type Draft, type Drafts, type Unanswered } from "./drafts";
import { rebase } from "./rebase";
import { AT_EVERY_PAUSE, type Kept, type Manner, type Pace, type Written } from "./text";

const FIRST_RETRY = 2_000;
const LONGEST_RETRY = 30_000;
/** The server died after it had saved. */
export const ANSWER_LOST = "idempotency.no_response";
const PASSING = new Set([0, 429, 502, 503, 504]);

/** Dependencies: the server, and listeners. */
export interface Desk<Text extends Written> {
  manner: Manner<Text>;
  untitled: string;
  create(text: Text, key: string): Promise<Kept<Text>>;
  /** Refused with 412 if someone else saved after that version. */
  update(id: string, change: Partial<Text>, version: number, key: string): Promise<Kept<Text>>;
  fetch(id: string): Promise<Kept<Text>>;
  saved(kept: Kept<Text>, wasNew: boolean): void;
}

/** For a change that is no version: the answer has another one if someone else saved, and their text isn't known here. */
export function unlessOvertaken<Text extends Written>(kept: Kept<Text>, version: number): Kept<Text> {
  if (kept.version !== version) throw new Refusal(412, { code: "version_mismatch", version: kept.version });
  return kept;
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
  /** Whether this browser holds a draft of the unsaved text. */
  kept: boolean;
  /** Draft from an earlier visit: must be restored or discarded before editing. */
  offer: Draft<Text> | null;
  conflict: Conflict<Text> | null;
  /** Saved by someone else while there are unsaved changes here, until the user chooses. */
  newer: Kept<Text> | null;
  fault: unknown;
}

let born = 0;

export class Writing<Text extends Written = Written> {
  readonly key = `writing-${++born}`;
  readonly #desk: Desk<Text>;
  readonly #drafts: Drafts<Text>;
  readonly #listeners = new Set<() => void>();
  #id: string | null;
  /** Address it was opened with, until its screen shows it under its own. */
  #openedAs: string;
  #base: Text;
  #mine: Text;
  #version: number;
  #offer: Draft<Text> | null;
  #conflict: Conflict<Text> | null = null;
  /** The newest state that the server told of. */
  #met: Kept<Text> | null = null;
  /** Versions up to this one are known to be newer: the user keeps editing. */
  #dismissed = 0;
  #fault: unknown = null;
  #kept = true;
  #sending: Promise<void> | null = null;
  /** Sent, and perhaps saved: nothing else is sent or merged until the answer is known. */
  #unanswered: Unanswered<Text> | null = null;
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
    if (draft && !this.#offer) drafts.drop(this.#slot, draft);
    this.#snapshot = this.#picture();
  }

  get snapshot(): Snapshot<Text> {
    return this.#snapshot;
  }

  /** No viewer and nothing left to save, or to keep: can be dropped. */
  get settled(): boolean {
    const isStuck = this.#conflict !== null || !this.#isPassing;
    return this.#listeners.size === 0 && !this.#sending && (!this.#dirty || (isStuck && !this.isAtRisk));
  }

  get isUnsaved(): boolean {
    return this.#dirty || this.#unanswered !== null;
  }

  /** Unsaved, and not in a draft: gone with the page. */
  get isAtRisk(): boolean {
    return this.isUnsaved && !this.#kept;
  }

  /** Whether an address shows this item. */
  isFor(id: string): boolean {
    return id === this.#slot || id === this.#openedAs;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Saves after a delay, or at once if the delay is 0. */
  write(part: Partial<Text>, pause?: 0): void {
    // An editor also reports the value it was given: that mustn't restart the delay.
    if (Object.entries(part).every(([field, value]) => this.#mine[field as keyof Text] === value)) return;
    if (!this.#dirty) this.#dirtySince = Date.now();
    this.#mine = { ...this.#mine, ...part };
    this.#keep();
    if (!this.#dirty) this.#fault = null;
    // While the server can't be reached, a retry is scheduled already.
    if (!this.#fault || !this.#isPassing) this.#saveIn(Math.min(pause ?? this.#pace.pause, this.#patience));
    this.#publish();
  }

  /** Saves now. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#sending) await this.#sending;
    if ((!this.#dirty && !this.#unanswered) || this.#conflict || this.#stopped) return;
    this.#sending = this.#send();
    this.#publish();
    await this.#sending;
  }

  /** A newer state from the server: taken, and merged with unsaved changes; if that can't be done, the user is told. */
  meet(kept: Kept<Text>): void {
    if (kept.id !== this.#id) return;
    this.#openedAs = kept.id;
    if (kept.version === this.#version) return this.#meetLabels(kept);
    if (kept.version < this.#version || kept.version <= (this.#met?.version ?? 0)) return;
    this.#met = kept;
    if (!this.#sending) this.#absorb(kept);
    this.#publish();
  }

  /** Shows what someone else saved; the unsaved changes become a draft that can be restored. */
  reload(): void {
    const newer = this.#newer;
    if (!newer || this.#offer || this.#unanswered) return;
    this.#offer = { text: this.#mine, base: this.#base, version: this.#version, at: new Date().toISOString() };
    this.#dismissed = newer.version;
    this.#rest(newer);
    this.#publish();
  }

  /** Doesn't mention again what someone else saved: the next save merges the two, or asks. */
  keepEditing(): void {
    this.#dismissed = this.#met?.version ?? 0;
    this.#publish();
  }

  restore(): void {
    if (!this.#offer) return;
    this.#mine = this.#offer.text;
    this.#unanswered = this.#offer.unanswered ?? null;
    if (this.#offer.version < this.#version || this.#unanswered) {
      // The draft is based on an older version: saving will conflict, and that version is the base of the merge.
      this.#base = this.#offer.base;
      this.#version = this.#offer.version;
    }
    this.#discard();
    this.#keep();
    this.#saveIn(0);
    this.#publish();
  }

  discard(): void {
    this.#discard();
    this.#publish();
  }

  /** Resolves a conflict with a text: mine, or a merged one. */
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

  /** The item was deleted or access was lost: saves the text as a new item. */
  startOver(): void {
    this.#drafts.drop(this.#slot);
    this.#id = null;
    this.#version = 0;
    this.#base = this.#desk.manner.empty;
    this.#mine = { ...this.#mine, visibility: "private" };
    this.#fault = this.#conflict = this.#met = this.#unanswered = null;
    this.#keep();
    this.#saveIn(0);
    this.#publish();
  }

  /** The item was deleted on purpose: drops the draft, too. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#mine = this.#base;
    this.#conflict = this.#fault = this.#unanswered = null;
    this.#discard();
    this.#drafts.drop(this.#slot);
    this.#publish();
  }

  /** The user signed out or changes to another team: sends nothing more from there. Drafts stay in this browser. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped = true;
  }

  /** The user stays after all. */
  resume(): void {
    this.#stopped = false;
    if (this.isUnsaved) this.#saveIn(this.#pace.pause);
  }

  get #slot(): string {
    return this.#id ?? NEW;
  }

  get #dirty(): boolean {
    return !this.#desk.manner.same(this.#mine, this.#base);
  }

  /** Text that's only in memory is saved at once. */
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
    try {
      await this.#sendOnce();
      this.#fault = null;
      this.#retry = FIRST_RETRY;
      if (this.#dirty) this.#saveIn(this.#pace.pause);
    } catch (fault) {
      await this.#failed(fault);
    } finally {
      this.#sending = null;
      // What came while saving may be this save, or someone else's after it.
      if (this.#met && this.#met.version > this.#version) this.#absorb(this.#met);
      this.#publish();
    }
  }

  /** A save whose response was lost is repeated unchanged: the idempotency key makes it one, whatever was typed since. */
  async #sendOnce(): Promise<void> {
    this.#unanswered ??= { key: randomKey(), text: this.#mine };
    const { text: sent, key } = this.#unanswered;
    const id = this.#id;
    // With the draft: after a reload, the answer is still to be asked for.
    this.#keep();
    const kept = id
      ? await this.#desk.update(id, this.#change(sent), this.#version, key)
      : await this.#desk.create({ ...sent, title: this.#titleOf(sent) }, key);
    this.#unanswered = null;
    if (!id) this.#drafts.drop(NEW);
    this.#id = kept.id;
    this.#accept(sent, kept, !id);
  }

  /** What someone else saved, with my unsaved changes. */
  #absorb(kept: Kept<Text>): void {
    if (!this.#dirty && !this.#unanswered) return this.#rest(kept);
    // Perhaps it has what was sent: it would be merged with itself.
    if (this.#unanswered || this.#conflict) return;
    const merged = rebase(this.#desk.manner, this.#base, this.#mine, kept);
    if (!merged) return;
    this.#take(merged, kept);
    this.#saveIn(Math.min(this.#pace.pause, this.#patience));
  }

  #take(merged: Text, theirs: Kept<Text>): void {
    this.#mine = merged;
    this.#base = this.#desk.manner.textOf(theirs);
    this.#version = theirs.version;
    this.#keep();
  }

  #accept(sent: Text, kept: Kept<Text>, wasNew: boolean): void {
    this.#base = sent;
    this.#version = kept.version;
    this.#relabel(kept);
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
    const sent = this.#unanswered;
    const isLost = refusal?.problem.key === ANSWER_LOST;
    if (isLost && sent && this.#id) {
      // It was saved, as which version only the server knows.
      await this.#overtaken(this.#id, sent.text);
      return;
    }
    // A new item is there already, as which only the server knows: repeated under its key, it isn't made once more.
    if (!isLost && !(refusal && PASSING.has(refusal.status))) this.#unanswered = null;
    if (refusal?.code === "version_mismatch" && this.#id) {
      await this.#overtaken(this.#id, this.#base);
      return;
    }
    this.#fault = fault;
    if (refusal && PASSING.has(refusal.status)) {
      this.#saveIn(Math.max(this.#retry, (refusal.problem.retry_after ?? 0) * 1000));
      this.#retry = Math.min(this.#retry * 2, LONGEST_RETRY);
    }
  }

  /** Merges with what the server has, which was made from `base`. */
  async #overtaken(id: string, base: Text): Promise<void> {
    try {
      const theirs = await this.#desk.fetch(id);
      const merged = rebase(this.#desk.manner, base, this.#mine, theirs);
      this.#base = base;
      this.#fault = this.#unanswered = null;
      if (!merged) {
        this.#conflict = { base: this.#base, theirs };
        return;
      }
      this.#take(merged, theirs);
      this.#saveIn(0);
    } catch (fault) {
      await this.#failed(fault);
    }
  }

  /** Some metadata, such as a document's access level, changes without a new version. */
  #meetLabels(kept: Kept<Text>): void {
    // The answer to what was sent will tell: until then, nobody knows which of the two came first.
    if (this.#sending || this.#unanswered || this.#desk.manner.same(this.#desk.manner.textOf(kept), this.#base)) return;
    this.#relabel(kept);
    this.#keep();
    this.#publish();
  }

  #relabel(kept: Kept<Text>): void {
    const { mergeLabels } = this.#desk.manner;
    this.#mine = { ...this.#mine, ...mergeLabels(this.#base, this.#mine, kept) };
    this.#base = { ...this.#base, ...mergeLabels(this.#base, this.#base, kept) };
  }

  /** No unsaved changes: same as on the server. */
  #rest(kept: Kept<Text>): void {
    clearTimeout(this.#timer);
    this.#base = this.#mine = this.#desk.manner.textOf(kept);
    this.#version = kept.version;
    this.#conflict = this.#fault = this.#unanswered = null;
    if (!this.#offer) this.#drafts.drop(this.#slot);
  }

  #discard(): void {
    this.#drafts.drop(this.#slot, this.#offer);
    this.#offer = null;
  }

  #keep(): void {
    // A draft to restore stays until the user chooses.
    if (this.#offer) return;
    if (this.#dirty) {
      const draft = {
        text: this.#mine, base: this.#base, version: this.#version, at: new Date().toISOString(), unanswered: this.#unanswered,
      };
      this.#kept = this.#drafts.keep(this.#slot, draft);
    } else {
      this.#drafts.drop(this.#slot);
      this.#kept = true;
    }
  }

  /** While saving, it can be the state that is being saved. */
  get #newer(): Kept<Text> | null {
    const met = this.#met;
    return met && met.version > Math.max(this.#version, this.#dismissed) && this.#dirty && !this.#sending ? met : null;
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
      offer: this.#offer, conflict: this.#conflict, newer: this.#newer, fault: this.#fault,
    };
  }

  #publish(): void {
    this.#snapshot = this.#picture();
    this.#listeners.forEach((listener) => listener());
  }
}
