/**
 * Upload queue: a few at a time, each can be paused, cancelled and retried, and nothing is overwritten without asking.
 * Independent of any screen.
 */

import { Refusal } from "@/api/client";
import type { Visibility } from "@/ui/writing/text";

import { beside } from "../naming";

export const AT_ONCE = 3;
const MOST_NAMES = 50;

/** `interrupted`: a reload has taken the file away. */
export type State = "waiting" | "sending" | "paused" | "interrupted" | "asks" | "done" | "failed" | "stopped" | "skipped";
export type Answer = "replace" | "both" | "skip";

export interface Upload {
  id: number;
  key: string;
  size: number;
  sent: number;
  /** Bytes per second, while uploading. */
  speed: number;
  state: State;
  /** The key exists; `hidden` if the user can't see it, and so can't replace it. */
  taken?: "seen" | "hidden";
  fault?: unknown;
  /** The connection is lost; it goes on by itself. */
  lost?: boolean;
  /** ID of the uploaded object. */
  objectId?: string;
}

export interface Sending {
  key: string;
  file: File;
  replaces: boolean;
  visibility: Visibility;
  onSent: (bytes: number) => void;
  onLost: (lost: boolean) => void;
  signal: AbortSignal;
}

/** Rejects with 412 if the key exists, with 409 if it exists but the user can't see it. */
export type Send = (sending: Sending) => Promise<{ id: string }>;

/** Discards what the server has of an upload. */
export type Discard = (unwanted: { key: string; file?: File; upload?: string }) => void;

/** An upload without its file. */
export interface Interrupted {
  upload: string;
  key: string;
  size: number;
  modified: number;
}

interface Item extends Upload {
  file?: File;
  interrupted?: Interrupted;
  visibility: Visibility;
  answer?: Answer;
  began: number;
  /** Bytes that were there when it began. */
  before?: number;
  stop?: AbortController;
}

export interface Incoming {
  file: File;
  key: string;
}

const ENDED: readonly State[] = ["done", "failed", "stopped", "skipped", "interrupted"];

export class Uploads {
  readonly #send: Send;
  readonly #discard: Discard;
  readonly #listeners = new Set<() => void>();
  #items: Item[] = [];
  /** The answer for all remaining conflicts, until none are left. */
  #forAll: Answer | null = null;
  #born = 0;
  #snapshot: readonly Upload[] = [];

  constructor(send: Send, discard: Discard = () => undefined) {
    this.#send = send;
    this.#discard = discard;
  }

  get snapshot(): readonly Upload[] {
    return this.#snapshot;
  }

  get busy(): boolean {
    return this.#items.some(({ state }) => !ENDED.includes(state));
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(incoming: readonly Incoming[], visibility: Visibility): void {
    for (const { file, key } of incoming) {
      if (this.#continues(file, key)) continue;
      this.#items.push({
        id: ++this.#born, key, file, visibility, size: file.size, sent: 0, speed: 0, state: "waiting", began: 0,
      });
    }
    this.#go();
  }

  /** Shows an upload of which only the file is missing. */
  restore(interrupted: Interrupted): void {
    const { key, size } = interrupted;
    this.#items.push({ id: ++this.#born, key, interrupted, visibility: "private", size, sent: 0, speed: 0, state: "interrupted", began: 0 });
    this.#publish();
  }

  /** How much of it the server has. */
  restored(upload: string, sent: number): void {
    const item = this.#items.find(({ interrupted }) => interrupted?.upload === upload);
    if (item?.state === "interrupted") Object.assign(item, { sent: Math.min(sent, item.size) });
    this.#publish();
  }

  /** Goes on with an interrupted upload; false if this isn't its file. */
  resume(id: number, file: File): boolean {
    const item = this.#find(id);
    return item !== undefined && this.#continues(file, item.key, item);
  }

  #continues(file: File, key: string, only?: Item): boolean {
    const item = this.#items.find(
      (each) => each.state === "interrupted" && each.key === key && each.size === file.size && each.interrupted?.modified === file.lastModified,
    );
    if (!item || (only && item !== only)) return false;
    Object.assign(item, { file, state: "waiting" });
    this.#go();
    return true;
  }

  /** What was sent of a large file stays on the server. */
  pause(id: number): void {
    const item = this.#find(id);
    if (item?.state !== "sending" && item?.state !== "waiting") return;
    item.state = "paused";
    item.stop?.abort();
    this.#go();
  }

  cancel(id: number): void {
    const item = this.#find(id);
    if (!item || ENDED.includes(item.state)) return;
    item.state = "stopped";
    item.stop?.abort();
    this.#unwanted(item);
    this.#go();
  }

  cancelAll(): void {
    this.#items.forEach(({ id }) => this.cancel(id));
  }

  retry(id: number): void {
    const item = this.#find(id);
    if (!item?.file || !["failed", "stopped", "paused"].includes(item.state)) return;
    Object.assign(item, { state: "waiting", fault: undefined });
    this.#go();
  }

  answer(id: number, answer: Answer, forAll: boolean): void {
    if (forAll) this.#forAll = answer;
    for (const item of this.#items) {
      if (item.state === "asks" && (item.id === id || forAll)) this.#obey(item, answer);
    }
    this.#go();
  }

  /** Removes finished uploads. */
  clear(): void {
    this.#items.filter(({ state }) => state === "interrupted").forEach((item) => this.#unwanted(item));
    this.#items = this.#items.filter(({ state }) => !ENDED.includes(state));
    this.#publish();
  }

  #unwanted({ key, file, interrupted }: Item): void {
    this.#discard({ key, file, upload: interrupted?.upload });
  }

  #find(id: number): Item | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #go(): void {
    const room = AT_ONCE - this.#items.filter(({ state }) => state === "sending").length;
    for (const item of this.#items.filter(({ state }) => state === "waiting").slice(0, Math.max(0, room))) {
      item.state = "sending";
      void this.#carry(item);
    }
    if (!this.busy) this.#forAll = null;
    this.#publish();
  }

  async #carry(item: Item): Promise<void> {
    const stop = new AbortController();
    Object.assign(item, { stop, began: Date.now(), speed: 0, before: undefined, lost: false });
    try {
      const { id } = await this.#deliver(item, stop.signal);
      Object.assign(item, { state: "done", objectId: id, sent: item.size });
    } catch (fault) {
      // One that was paused can end after the next has begun.
      if (item.state === "sending" && item.stop === stop) this.#failed(item, fault);
    }
    this.#go();
  }

  /** Tries further names until one is free. */
  async #deliver(item: Item, signal: AbortSignal): Promise<{ id: string }> {
    const { file, visibility, answer } = item;
    if (!file) throw new Error("an interrupted upload has no file");
    const wanted = item.key;
    for (let number = 2; ; number++) {
      const key = answer === "both" ? beside(wanted, number) : wanted;
      try {
        const made = await this.#send({
          key, file, visibility, signal, replaces: answer === "replace",
          onSent: (bytes) => this.#progress(item, bytes),
          onLost: (lost) => {
            item.lost = lost;
            this.#publish();
          },
        });
        item.key = key;
        return made;
      } catch (fault) {
        if (answer !== "both" || number > MOST_NAMES || !takenBy(fault)) throw fault;
      }
    }
  }

  #progress(item: Item, bytes: number): void {
    const seconds = (Date.now() - item.began) / 1000;
    item.before ??= bytes;
    item.sent = Math.min(bytes, item.size);
    item.speed = seconds > 0.5 ? Math.max(0, item.sent - item.before) / seconds : 0;
    this.#publish();
  }

  #failed(item: Item, fault: unknown): void {
    const taken = item.answer ? undefined : takenBy(fault);
    if (!taken) {
      Object.assign(item, { state: "failed", fault, answer: undefined });
      return;
    }
    Object.assign(item, { state: "asks", taken, sent: 0 });
    if (this.#forAll) this.#obey(item, this.#forAll);
  }

  #obey(item: Item, answer: Answer): void {
    // A hidden object can't be replaced: asks again.
    if (answer === "replace" && item.taken === "hidden") return;
    item.answer = answer;
    if (answer !== "replace") this.#unwanted(item);
    item.state = answer === "skip" ? "skipped" : "waiting";
  }

  #publish(): void {
    this.#snapshot = this.#items.map(({ id, key, size, sent, speed, state, taken, fault, lost, objectId }) => ({
      id, key, size, sent, speed, state, taken, fault, lost, objectId,
    }));
    this.#listeners.forEach((listener) => listener());
  }
}

function takenBy(fault: unknown): Upload["taken"] {
  if (!(fault instanceof Refusal)) return undefined;
  if (fault.status === 412) return "seen";
  return fault.status === 409 ? "hidden" : undefined;
}
