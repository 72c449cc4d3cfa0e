/** A stream of server-sent events that reconnects and resumes after an interruption. */

import { EventParser, type ServerEvent } from "./eventParser";
import { checkServer, serverBack } from "./reachability";

/** The server sends something every 15 seconds: a connection that is silent for longer than this is dead. */
export const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A connection that lasted this long resets the backoff. */
const GOOD_MS = 10_000;

export interface StreamOptions {
  connect: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Events of one chunk; empty for a keep-alive comment. */
  onEvents: (events: ServerEvent[]) => void;
  onInterrupted: () => void;
  /** The session has ended: no further attempt. */
  onRefused: (response: Response) => void;
  /** Maximum characters of an event. */
  longest?: number;
}

export class EventStream {
  readonly #options: StreamOptions;
  #lastEventId: string | undefined;
  #heardAt = 0;
  #attempt: AbortController | undefined;
  #endPause: (() => void) | undefined;

  constructor(options: StreamOptions, lastEventId?: string) {
    this.#options = options;
    this.#lastEventId = lastEventId;
  }

  /** Settles when the signal is aborted, or the session is over. */
  async run(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const startedAt = Date.now();
      const answer = await this.#listen(signal);
      if (signal.aborted) return;
      if (answer?.status === 401) return this.#options.onRefused(answer);
      this.#options.onInterrupted();
      const wasGood = answer?.ok && Date.now() - startedAt > GOOD_MS;
      const wasLost = await this.#whileLost(signal);
      if (wasGood || wasLost) pause = FIRST_PAUSE_MS;
      await this.#rest(pause * (0.5 + Math.random()), signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Retries now instead of after the pause, and drops a connection that has been silent for too long. */
  nudge(): void {
    this.#endPause?.();
    if (this.#attempt && Date.now() - this.#heardAt > SILENCE_MS) this.#attempt.abort();
  }

  /** Replaces the connection: after a network change it may be dead although it seems open. */
  renew(): void {
    this.#endPause?.();
    this.#attempt?.abort();
  }

  /** One connection, until it ends. */
  async #listen(signal: AbortSignal): Promise<Response | undefined> {
    const attempt = (this.#attempt = new AbortController());
    const abort = (): void => attempt.abort();
    signal.addEventListener("abort", abort);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      this.#heardAt = Date.now();
      clearTimeout(silence);
      silence = setTimeout(abort, SILENCE_MS);
    };
    let answer: Response | undefined;
    try {
      heard();
      answer = await this.#options.connect(this.#lastEventId, attempt.signal);
      if (answer.ok) await this.#read(answer, heard);
    } catch {
      // The connection broke, or nothing came for too long.
    } finally {
      clearTimeout(silence);
      signal.removeEventListener("abort", abort);
      this.#attempt = undefined;
      if (answer?.status !== 401) abort();
    }
    return answer;
  }

  async #read(answer: Response, heard: () => void): Promise<void> {
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser(this.#options.longest);
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      heard();
      const events = parser.feed(decoder.decode(chunk.value, { stream: true }));
      this.#lastEventId = events.at(-1)?.id || this.#lastEventId;
      this.#options.onEvents(events);
    }
  }

  /** Waits while the server can't be reached; whether it had to. */
  async #whileLost(signal: AbortSignal): Promise<boolean> {
    if (!(await checkServer())) return false;
    await Promise.race([serverBack(), new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))]);
    return true;
  }

  #rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#endPause = undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#endPause = end;
      signal.addEventListener("abort", end);
    });
  }
}
