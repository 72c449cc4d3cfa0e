/**
 * Many files at once: moves, copies, deletes or shares them, a few at a time, with progress, cancel and a report of what failed.
 * A folder is only the beginning of keys, so it is as many steps as it has files. Independent of any screen.
 */

import { Refusal } from "@/api/client";

import { beside } from "../naming";

export type Deed = "move" | "copy" | "delete" | "share";
export type Answer = "both" | "replace" | "skip";

/** One object; `to` is its new key. */
export interface Step {
  id: string;
  from: string;
  to: string;
  /** Becomes the next version of the object that has the key. */
  replaces?: boolean;
}

export interface Failure {
  key: string;
  fault: unknown;
}

export interface Progress {
  state: "gathering" | "running" | "ended";
  /** Known after gathering. */
  total: number;
  done: number;
  skipped: number;
  failures: readonly Failure[];
  /** Keys that exist already, and wait for an answer. */
  taken: readonly string[];
  cancelled: boolean;
}

export type Gather = (signal: AbortSignal, found: (count: number) => void) => Promise<Step[]>;
/** Rejects with 409 if the key is taken and not to be replaced. */
export type Act = (step: Step, signal: AbortSignal) => Promise<unknown>;

export const AT_ONCE = 4;
const MOST_NAMES = 50;

interface Waiting {
  step: Step;
  answer: (answer: Answer) => void;
}

export class Transfer {
  readonly #act: Act;
  readonly #gather: Gather;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #performed: Step[] = [];
  readonly #failures: Failure[] = [];
  #waiting: Waiting[] = [];
  #forAll: Answer | null = null;
  #state: Progress["state"] = "gathering";
  #total = 0;
  #skipped = 0;
  #snapshot: Progress;

  constructor(gather: Gather, act: Act) {
    this.#gather = gather;
    this.#act = act;
    this.#snapshot = this.#progress();
  }

  get snapshot(): Progress {
    return this.#snapshot;
  }

  /** What was done, with the keys that were used. */
  get performed(): readonly Step[] {
    return this.#performed;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Resolves when all is done or cancelled; rejects only if the files can't be listed. */
  async run(): Promise<Progress> {
    try {
      const steps = await this.#gather(this.#stop.signal, (count) => {
        this.#total = count;
        this.#publish();
      });
      this.#total = steps.length;
      this.#state = "running";
      this.#publish();
      const left = steps[Symbol.iterator]();
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#work(left)));
    } catch (fault) {
      if (!this.#stop.signal.aborted) throw fault;
    } finally {
      this.#state = "ended";
      this.#publish();
    }
    return this.snapshot;
  }

  /** What was done stays done. */
  cancel(): void {
    this.#stop.abort();
    this.#waiting.splice(0).forEach(({ answer }) => answer("skip"));
    this.#publish();
  }

  answer(answer: Answer, forAll: boolean): void {
    if (forAll) this.#forAll = answer;
    this.#waiting.splice(0, forAll ? this.#waiting.length : 1).forEach((one) => one.answer(answer));
    this.#publish();
  }

  async #work(left: Iterator<Step>): Promise<void> {
    for (let next = left.next(); !next.done && !this.#stop.signal.aborted; next = left.next()) {
      await this.#carry(next.value);
      this.#publish();
    }
  }

  async #carry(step: Step): Promise<void> {
    try {
      await this.#perform(step);
    } catch (fault) {
      if (isTaken(fault)) return this.#ask(step);
      this.#fail(step, fault);
    }
  }

  #fail({ from }: Step, fault: unknown): void {
    if (!this.#stop.signal.aborted) this.#failures.push({ key: from, fault });
  }

  async #perform(step: Step): Promise<void> {
    await this.#act(step, this.#stop.signal);
    this.#performed.push(step);
  }

  async #ask(step: Step): Promise<void> {
    // A copy beside its original can only have another name.
    const answer = step.from === step.to ? "both" : (this.#forAll ?? (await this.#answered(step)));
    if (answer === "both") return this.#beside(step);
    if (answer === "replace") return this.#perform({ ...step, replaces: true }).catch((fault: unknown) => this.#fail(step, fault));
    if (!this.#stop.signal.aborted) this.#skipped += 1;
  }

  #answered(step: Step): Promise<Answer> {
    return new Promise((answer) => {
      this.#waiting.push({ step, answer });
      this.#publish();
    });
  }

  /** Tries further names until one is free. */
  async #beside(step: Step): Promise<void> {
    for (let number = 2; ; number++) {
      try {
        return await this.#perform({ ...step, to: beside(step.to, number) });
      } catch (fault) {
        if (isTaken(fault) && number < MOST_NAMES) continue;
        return this.#fail(step, fault);
      }
    }
  }

  #progress(): Progress {
    return {
      state: this.#state, total: this.#total, done: this.#performed.length, skipped: this.#skipped, failures: [...this.#failures],
      taken: this.#waiting.map(({ step }) => step.to), cancelled: this.#stop.signal.aborted,
    };
  }

  #publish(): void {
    this.#snapshot = this.#progress();
    this.#listeners.forEach((listener) => listener());
  }
}

const isTaken = (fault: unknown): boolean => fault instanceof Refusal && fault.status === 409;
