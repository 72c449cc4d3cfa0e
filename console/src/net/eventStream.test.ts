import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ServerEvent } from "./eventParser";
import { EventStream, SILENCE_MS } from "./eventStream";

/** A server whose connections the test writes to and ends. */
class Server {
  up = true;
  status = 200;
  readonly resumed: (string | undefined)[] = [];
  readonly #open: ReadableStreamDefaultController<Uint8Array>[] = [];

  connect = (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
    this.resumed.push(lastEventId);
    if (!this.up) return Promise.reject(new TypeError("refused"));
    if (this.status !== 200) return Promise.resolve(new Response("{}", { status: this.status }));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#open.push(controller);
        signal.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
      },
    });
    return Promise.resolve(new Response(body));
  };

  send(text: string): void {
    this.#open.at(-1)?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#open.at(-1)?.close();
  }
}

let server: Server;
let heard: ServerEvent[];
let interrupted: number;
let refusals: number[];
let stop: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  heard = [];
  interrupted = 0;
  refusals = [];
  stop = new AbortController();
  vi.stubGlobal("fetch", () => (server.up ? Promise.resolve(new Response("{}")) : Promise.reject(new TypeError("refused"))));
});

afterEach(async () => {
  stop.abort();
  server.up = true;
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function opened(lastEventId?: string): { stream: EventStream; done: Promise<void> } {
  const stream = new EventStream(
    {
      connect: server.connect,
      onEvents: (events) => heard.push(...events),
      onInterrupted: () => interrupted++,
      onRefused: ({ status }) => refusals.push(status),
    },
    lastEventId,
  );
  return { stream, done: stream.run(stop.signal) };
}

const wait = (milliseconds = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
const event = (id: string): string => `id: ${id}\nevent: change\ndata: {}\n\n`;

test("a stream that ends is resumed after a pause", async () => {
  opened("0");
  await wait();
  server.send(event("1"));
  server.send(event("2"));
  await wait();
  server.end();
  await wait();
  expect([heard.map(({ id }) => id), interrupted]).toEqual([["1", "2"], 1]);
  await wait(2_000);
  expect(server.resumed).toEqual(["0", "2"]);
});

test("pauses grow while it fails, and a nudge ends one", async () => {
  const { stream } = opened();
  server.status = 503;
  await wait(60_000);
  const tries = server.resumed.length;
  expect(tries).toBeGreaterThan(3);
  expect(tries).toBeLessThan(12);
  await wait(2 * 60_000);
  const later = server.resumed.length;
  stream.nudge();
  await wait();
  expect(server.resumed.length).toBe(later + 1);
});

test("a silent connection is dead, one that pings isn't", async () => {
  opened();
  await wait();
  for (let ping = 0; ping < 10; ping++) {
    await wait(15_000);
    server.send(": ping\n\n");
  }
  await wait();
  expect(server.resumed).toHaveLength(1);
  await wait(SILENCE_MS + 2_000);
  expect([server.resumed.length, interrupted]).toEqual([2, 1]);
});

test("an event that is too long ends the connection", async () => {
  opened();
  await wait();
  server.send(`data: ${"x".repeat(70_000)}`);
  await wait();
  expect([heard, interrupted]).toEqual([[], 1]);
});

test("while the server is gone, only its health is asked for; then the stream is opened at once", async () => {
  opened();
  await wait();
  server.send(event("1"));
  await wait();
  server.up = false;
  server.end();
  await wait(5 * 60_000);
  expect(server.resumed).toHaveLength(1);
  server.up = true;
  await wait(5_000);
  expect(server.resumed).toEqual([undefined, "1"]);
});

test("it stops when the session is over, and when it is told to", async () => {
  server.status = 401;
  await opened().done;
  expect([refusals, server.resumed.length]).toEqual([[401], 1]);
  server.status = 200;
  const { done } = opened();
  await wait();
  stop.abort();
  await done;
  await wait(60_000);
  expect([server.resumed.length, interrupted]).toEqual([2, 0]);
});
