/**
 * A streamed answer: a request whose response was lost is repeated with its key, and a broken stream is resumed after its
 * last event, so that nothing is asked or shown twice. Independent of any screen.
 */

import { Refusal, refused } from "@/api/client";
import type { ServerEvent } from "@/net/eventParser";
import { EventStream } from "@/net/eventStream";

import { heard, NOTHING, type Answer } from "./answer";
import { numberedEvent } from "./events";

/** The last event repeats the whole answer. */
const LONGEST_EVENT = 16 * 1024 * 1024;
/** Deltas that arrive within it are rendered together. */
const GATHER_MS = 40;

export type Connection = "sending" | "open" | "lost" | "over";

export interface Snapshot {
  answer: Answer;
  connection: Connection;
  isStopping: boolean;
  /** Why the prompt was refused. */
  refusal?: Refusal;
  /** The stream has expired or belongs to someone else: only the stored answer is left. */
  isGone: boolean;
}

export interface Door {
  /** Sends the request, with the same key each time, or with an event's id resumes the stream after it. */
  connect: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  stop: (id: string) => Promise<unknown>;
  onStarted?: (id: string) => void;
  onOver?: (end: Snapshot) => void;
}

const GONE: readonly number[] = [404, 410];
/** Statuses after which another attempt to resume is pointless. */
const FINAL: readonly number[] = [400, 401, 403, 405, 413, 422];

export class Answering {
  readonly #door: Door;
  readonly #over = new AbortController();
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot = { answer: NOTHING, connection: "sending", isStopping: false, isGone: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stream: EventStream | undefined;

  /** With an id, the answer is running already: its stream is read from the start. */
  constructor(door: Door, id?: string) {
    this.#door = door;
    if (id !== undefined) this.#snapshot = { ...this.#snapshot, answer: { ...NOTHING, id } };
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Settles when the answer is complete, refused or abandoned. */
  run(): Promise<void> {
    this.#stream = new EventStream({
      connect: this.#connect,
      onEvents: this.#hear,
      onInterrupted: () => this.#set({ connection: "lost" }),
      onRefused: () => undefined,
      longest: LONGEST_EVENT,
    });
    return this.#stream.run(this.#over.signal);
  }

  /** Reconnects after a network change. A request without any event yet is left alone: its answer may be about to begin. */
  renew(): void {
    if (this.#snapshot.answer.last > 0) this.#stream?.renew();
  }

  /** Asks the server to end the answer with the text so far. */
  async stop(): Promise<void> {
    const { answer, connection, isStopping } = this.#snapshot;
    if (connection === "over" || (isStopping && answer.id === undefined)) return;
    this.#set({ isStopping: true });
    if (answer.id === undefined) return;
    try {
      await this.#door.stop(answer.id);
    } catch (fault) {
      // The answer has ended in the meantime.
      if (!(fault instanceof Refusal && GONE.includes(fault.status))) this.#set({ isStopping: false });
    }
  }

  /** Closes the stream; the server continues. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#over.abort();
  }

  #connect = async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    const place = lastEventId ?? this.#beginning();
    const response = await this.#door.connect(place, signal).catch((fault: unknown) => this.#refuse(fault));
    if (this.#over.signal.aborted) return response;
    if (response.ok) this.#set({ connection: "open" });
    else if (place !== undefined && GONE.includes(response.status)) this.#end({ isGone: true });
    else if (place === undefined || FINAL.includes(response.status)) this.#end({ refusal: await refused(response) });
    return response;
  };

  /** A refusal is final; a connection error is retried. */
  #refuse(fault: unknown): Response {
    if (!(fault instanceof Refusal) || fault.unreachable) throw fault;
    this.#end({ refusal: fault });
    return Response.error();
  }

  /** The event id before the first event; undefined while no event has told which answer it is. */
  #beginning(): string | undefined {
    const { id } = this.#snapshot.answer;
    return id === undefined ? undefined : `${id}:0`;
  }

  #hear = (events: readonly ServerEvent[]): void => {
    const before = this.#snapshot.answer;
    const answer = events.map(numberedEvent).reduce((now, event) => (event ? heard(now, event) : now), before);
    if (answer === before) return;
    this.#snapshot = { ...this.#snapshot, answer };
    if (answer.last > 0 && before.last === 0) this.#started(answer.id ?? "");
    if (answer.isOver) this.#end({});
    else this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS);
  };

  #started(id: string): void {
    this.#tell();
    this.#door.onStarted?.(id);
    if (this.#snapshot.isStopping) void this.stop();
  }

  #end(change: Partial<Snapshot>): void {
    this.#over.abort();
    this.#set({ ...change, connection: "over" });
    this.#door.onOver?.(this.#snapshot);
  }

  #set(change: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    this.#tell();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#listeners.forEach((listener) => listener());
  }
}
