/**
 * One event stream for all tabs of this browser that share a session. The tab that has the lock holds the connection
 * and tells the others; when it is closed, the next tab takes over and resumes. Without locks, as over plain http,
 * every tab has a connection of its own.
 */

import type { ServerEvent } from "./eventParser";
import { EventStream, SILENCE_MS, type StreamOptions } from "./eventStream";

export interface SharedOptions {
  /** Of the session: tabs with the same name share a stream. */
  name: string;
  connect: StreamOptions["connect"];
  onRefused: StreamOptions["onRefused"];
  onEvent: (event: ServerEvent) => void;
  /** Events may have been missed. */
  onGap: () => void;
  onConnected: (connected: boolean) => void;
}

/** What one tab tells the others. */
type Message =
  /** A new tab asks where the stream is. */
  | { kind: "ask" }
  /** The leader should look after its connection. */
  | { kind: "nudge" }
  /** From the leader: events, if any, and the ids before and after them. */
  | { kind: "news"; connected: boolean; from?: string; id?: string; events: ServerEvent[] };

export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: { data: Message }) => void): void;
  close(): void;
}

/** What a browser has for its tabs; replaced in tests. */
export interface Tabs {
  locks?: Pick<LockManager, "request">;
  open: (name: string) => Channel;
}

const BROWSER: Tabs = {
  locks: typeof navigator === "undefined" ? undefined : navigator.locks,
  open: (name) => new BroadcastChannel(name) as Channel,
};

export class SharedEvents {
  readonly #options: SharedOptions;
  readonly #locks: Tabs["locks"];
  readonly #channel: Channel | undefined;
  readonly #stop = new AbortController();
  #stream: EventStream | undefined;
  #lastId: string | undefined;
  #connected = false;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SharedOptions, tabs: Tabs = BROWSER) {
    this.#options = options;
    this.#locks = tabs.locks;
    this.#channel = tabs.locks && tabs.open(options.name);
    this.#channel?.addEventListener("message", ({ data }) => this.#receive(data));
    this.#post({ kind: "ask" });
    void this.#takeTurn();
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#silence);
    this.#channel?.close();
    this.#setConnected(false);
  }

  /** The tab is shown again, or the network is back: a connection that is down is tried at once, whoever holds it. */
  nudge(): void {
    if (this.#stream) this.#stream.nudge();
    else this.#post({ kind: "nudge" });
  }

  async #takeTurn(): Promise<void> {
    const { signal } = this.#stop;
    try {
      if (this.#locks) await this.#locks.request(this.#options.name, { signal }, () => this.#lead(signal));
      else await this.#lead(signal);
    } catch (fault) {
      if (!signal.aborted) throw fault;
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#silence);
    const { connect, onRefused } = this.#options;
    this.#stream = new EventStream(
      {
        connect,
        onRefused,
        onEvents: (events) => this.#tell(true, events),
        onInterrupted: () => this.#tell(false, []),
      },
      this.#lastId,
    );
    await this.#stream.run(signal);
    this.#stream = undefined;
    this.#setConnected(false);
  }

  /** As the leader: to this tab and to the others. */
  #tell(connected: boolean, events: ServerEvent[]): void {
    const from = this.#lastId;
    const id = events.at(-1)?.id || from;
    this.#post({ kind: "news", connected, from, id, events });
    this.#take({ connected, id, events, isResumed: from !== undefined });
  }

  #receive(message: Message): void {
    if (message.kind === "news") return this.#follow(message);
    if (!this.#stream) return;
    if (message.kind === "nudge") this.#stream.nudge();
    else this.#post({ kind: "news", connected: this.#connected, from: this.#lastId, id: this.#lastId, events: [] });
  }

  #follow({ connected, from, id, events }: Message & { kind: "news" }): void {
    if (this.#stream) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#setConnected(false), SILENCE_MS);
    // A tab that has just been opened has fetched everything after these events.
    const isNew = this.#lastId === undefined;
    if (!isNew && from !== this.#lastId) this.#options.onGap();
    this.#take({ connected, id, events, isResumed: from !== undefined });
  }

  #take({ connected, id, events, isResumed }: { connected: boolean; id?: string; events: ServerEvent[]; isResumed: boolean }): void {
    this.#lastId = id;
    this.#setConnected(connected);
    for (const event of events) {
      if (event.name === "ready" && !isResumed) this.#options.onGap();
      this.#options.onEvent(event);
    }
  }

  #setConnected(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    this.#options.onConnected(connected);
  }

  #post(message: Message): void {
    if (!this.#stop.signal.aborted) this.#channel?.postMessage(message);
  }
}
