import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { SharedEvents, type Channel, type Tabs } from "./sharedEvents";

/** A browser: locks that are granted in order, and channels that reach the other tabs. */
class FakeBrowser {
  readonly #queues = new Map<string, (() => void)[]>();
  readonly #channels = new Map<string, Set<(message: unknown) => void>>();

  tab(hasLocks = true): Tabs {
    return { locks: hasLocks ? { request: this.#request as LockManager["request"] } : undefined, open: (name) => this.#open(name) };
  }

  #request = (name: string, { signal }: LockOptions, lead: () => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      const begin = (): void => {
        void lead().then(() => {
          queue.shift();
          queue[0]?.();
          resolve();
        });
      };
      queue.push(begin);
      if (queue[0] === begin) return begin();
      signal?.addEventListener("abort", () => {
        const place = queue.indexOf(begin);
        if (place <= 0) return;
        queue.splice(place, 1);
        reject(new DOMException("aborted", "AbortError"));
      });
      return undefined;
    });

  #open(name: string): Channel {
    const all = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, all);
    const listeners: ((event: { data: never }) => void)[] = [];
    const hear = (message: unknown): void => listeners.forEach((listener) => listener({ data: message as never }));
    all.add(hear);
    return {
      postMessage: (message) => [...all].filter((other) => other !== hear).forEach((other) => other(message)),
      addEventListener: (_, listener) => listeners.push(listener),
      close: () => all.delete(hear),
    };
  }
}

/** The log that all connections read from; a cursor is a place in it. */
class Server {
  readonly log: string[] = [];
  readonly open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  connections = 0;

  connect = (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    this.connections++;
    const from = lastEventId === undefined ? this.log.length : Number(lastEventId);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.open.add(controller);
        signal.addEventListener("abort", () => {
          if (this.open.delete(controller)) controller.error(new DOMException("aborted", "AbortError"));
        });
        controller.enqueue(encoded("ready", from, "{}"));
        for (let place = from; place < this.log.length; place++) controller.enqueue(encoded("change", place + 1, this.log[place] ?? ""));
      },
    });
    return Promise.resolve(new Response(body));
  };

  change(name: string): void {
    this.log.push(name);
    this.open.forEach((controller) => controller.enqueue(encoded("change", this.log.length, name)));
  }
}

const encoded = (name: string, id: number, data: string): Uint8Array => new TextEncoder().encode(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);

interface Tab {
  shared: SharedEvents;
  changes: string[];
  gaps: number;
  connected: boolean;
}

let browser: FakeBrowser;
let server: Server;
let tabs: Tab[];

function open(name = "session", hasLocks = true): Tab {
  const tab = { changes: [], gaps: 0, connected: false } as unknown as Tab;
  tab.shared = new SharedEvents(
    {
      name,
      connect: server.connect,
      onRefused: () => undefined,
      onEvent: (event) => void (event.name === "change" && tab.changes.push(event.data)),
      onGap: () => void tab.gaps++,
      onConnected: (connected) => void (tab.connected = connected),
    },
    browser.tab(hasLocks),
  );
  tabs.push(tab);
  return tab;
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}")));
  browser = new FakeBrowser();
  server = new Server();
  tabs = [];
});

afterEach(async () => {
  tabs.forEach(({ shared }) => shared.stop());
  await settled();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("six tabs hold one connection, and all are told", async () => {
  const all = Array.from({ length: 6 }, () => open());
  await settled();
  server.change("a");
  await settled();
  expect([server.open.size, server.connections]).toEqual([1, 1]);
  expect(all.map(({ changes, connected }) => [changes, connected])).toEqual(all.map(() => [["a"], true]));
});

test("the next tab takes over where the first ended, and nothing is missed or fetched in vain", async () => {
  const [first, second, third] = [open(), open(), open()];
  await settled();
  server.change("a");
  await settled();
  const gaps = [second.gaps, third.gaps];
  first.shared.stop();
  server.change("b");
  await settled();
  server.change("c");
  await settled();
  expect([server.open.size, server.connections]).toEqual([1, 2]);
  expect([second.changes, third.changes]).toEqual([["a", "b", "c"], ["a", "b", "c"]]);
  expect([second.gaps, third.gaps]).toEqual(gaps);
  expect(first.changes).toEqual(["a"]);
});

test("a tab that is opened later asks where the stream is, and can take over", async () => {
  const first = open();
  await settled();
  server.change("a");
  await settled();
  const second = open();
  await settled();
  expect([second.connected, second.gaps]).toEqual([true, 0]);
  first.shared.stop();
  server.change("b");
  await settled();
  expect([second.changes, second.gaps]).toEqual([["b"], 0]);
});

test("what happened before the first connection was ready is fetched again", async () => {
  const [first, second] = [open(), open()];
  await settled();
  expect([first.gaps, second.gaps]).toEqual([1, 1]);
});

test("a tab that missed a message refetches", async () => {
  const [, second] = [open(), open()];
  await settled();
  const gaps = second.gaps;
  const channel = browser.tab().open("session");
  channel.postMessage({ kind: "news", connected: true, from: "40", id: "41", events: [] });
  expect(second.gaps).toBe(gaps + 1);
});

test("sessions don't mix", async () => {
  const [one, other] = [open("one"), open("other")];
  await settled();
  expect(server.open.size).toBe(2);
  one.shared.stop();
  server.change("a");
  await settled();
  expect([one.changes, other.changes]).toEqual([[], ["a"]]);
});

test("without locks, every tab has a connection of its own", async () => {
  const all = [open("session", false), open("session", false)];
  await settled();
  server.change("a");
  await settled();
  expect(server.open.size).toBe(2);
  expect(all.map(({ changes }) => changes)).toEqual([["a"], ["a"]]);
});

test("a follower that hears nothing more from a frozen leader counts as disconnected", async () => {
  const frozen = browser.tab();
  void frozen.locks?.request("session", {}, () => new Promise(() => undefined));
  const tab = open();
  frozen.open("session").postMessage({ kind: "news", connected: true, from: "1", id: "1", events: [] });
  await vi.advanceTimersByTimeAsync(44_000);
  expect(tab.connected).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([tab.connected, server.connections]).toEqual([false, 0]);
});
