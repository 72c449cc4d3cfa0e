/**
 * Upload queue: a few at a time, each can be cancelled and retried, and nothing is overwritten without asking.
 * Independent of any screen.
 */

import { Refusal } from "@/api/client";
import type { Visibility } from "@/ui/writing/text";

import { beside } from "../naming";

export const AT_ONCE = 3;
const MOST_NAMES = 50;

export type State = "waiting" | "sending" | "asks" | "done" | "failed" | "stopped" | "skipped";
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
  /** ID of the uploaded object. */
  objectId?: string;
}

export interface Sending {
  key: string;
  file: File;
  replaces: boolean;
  visibility: Visibility;
  onSent: (bytes: number) => void;
  signal: AbortSignal;
}

/** Rejects with 412 if the key exists, with 409 if it exists but the user can't see it. */
export type Send = (sending: Sending) => Promise<{ id: string }>;

interface Item extends Upload {
  file: File;
  visibility: Visibility;
  answer?: Answer;
  began: number;
  stop?: AbortController;
}

export interface Incoming {
  file: File;
  key: string;
}

const ENDED: readonly State[] = ["done", "failed", "stopped", "skipped"];

export class Uploads {
  readonly #send: Send;
  readonly #listeners = new Set<() => void>();
  #items: Item[] = [];
  /** The answer for all remaining conflicts, until none are left. */
  #forAll: Answer | null = null;
  #born = 0;
  #snapshot: readonly Upload[] = [];

  constructor(send: Send) {
    this.#send = send;
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
      this.#items.push({
        id: ++this.#born, key, file, visibility, size: file.size, sent: 0, speed: 0, state: "waiting", began: 0,
      });
    }
    this.#go();
  }

  cancel(id: number): void {
    const item = this.#find(id);
    if (!item || ENDED.includes(item.state)) return;
    item.state = "stopped";
    item.stop?.abort();
    this.#go();
  }

  cancelAll(): void {
    this.#items.forEach(({ id }) => this.cancel(id));
  }

  retry(id: number): void {
    const item = this.#find(id);
    if (!item || (item.state !== "failed" && item.state !== "stopped")) return;
    Object.assign(item, { state: "waiting", fault: undefined, sent: 0 });
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
    this.#items = this.#items.filter(({ state }) => !ENDED.includes(state));
    this.#publish();
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
    Object.assign(item, { stop, began: Date.now(), sent: 0, speed: 0 });
    try {
      const { id } = await this.#deliver(item, stop.signal);
      Object.assign(item, { state: "done", objectId: id, sent: item.size });
    } catch (fault) {
      if (item.state === "sending") this.#failed(item, fault);
    }
    this.#go();
  }

  /** Tries further names until one is free. */
  async #deliver(item: Item, signal: AbortSignal): Promise<{ id: string }> {
    const { file, visibility, answer } = item;
    const wanted = item.key;
    for (let number = 2; ; number++) {
      const key = answer === "both" ? beside(wanted, number) : wanted;
      try {
        const made = await this.#send({
          key, file, visibility, signal, replaces: answer === "replace", onSent: (bytes) => this.#progress(item, bytes),
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
    item.sent = Math.min(bytes, item.size);
    item.speed = seconds > 0.5 ? item.sent / seconds : 0;
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
    item.state = answer === "skip" ? "skipped" : "waiting";
  }

  #publish(): void {
    this.#snapshot = this.#items.map(({ id, key, size, sent, speed, state, taken, fault, objectId }) => ({
      id, key, size, sent, speed, state, taken, fault, objectId,
    }));
    this.#listeners.forEach((listener) => listener());
  }
}

function takenBy(fault: unknown): Upload["taken"] {
  if (!(fault instanceof Refusal)) return undefined;
  if (fault.status === 412) return "seen";
  return fault.status === 409 ? "hidden" : undefined;
}
