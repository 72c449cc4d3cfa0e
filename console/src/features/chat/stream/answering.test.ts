import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Refusal } from "@/api/client";

import { Answering, type Snapshot } from "./answering";

const sse = (number: number, data: object): string => `id: t1:${number}\nevent: x\ndata: ${JSON.stringify(data)}\n\n`;
const START = sse(1, { type: "start", id: "t1", model: "m" });
const delta = (number: number, text: string): string => sse(number, { type: "delta", text });
const done = (number: number, text: string, finish_reason = "stop"): string => sse(number, { type: "done", id: "t1", text, finish_reason });

/** A server that keeps one stream, whose connections the test cuts. */
class Server {
  status = 200;
  isUp = true;
  readonly asked: (string | undefined)[] = [];
  readonly stopped: string[] = [];
  readonly started: string[] = [];
  readonly ended: Snapshot[] = [];
  #open: ReadableStreamDefaultController<Uint8Array> | undefined;

  door = {
    connect: (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> => {
      this.asked.push(lastEventId);
      if (!this.isUp) return Promise.reject(new TypeError("refused"));
      if (this.status !== 200) return Promise.resolve(Response.json({ code: "quota_exceeded", title: "No" }, { status: this.status }));
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          this.#open = controller;
          signal.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
        },
      });
      return Promise.resolve(new Response(body));
    },
    stop: (id: string) => Promise.resolve(this.stopped.push(id)),
    onStarted: (id: string) => void this.started.push(id),
    onOver: (end: Snapshot) => void this.ended.push(end),
  };

  async send(...texts: string[]): Promise<void> {
    for (const text of texts) this.#open?.enqueue(new TextEncoder().encode(text));
    await wait(50);
  }

  async cut(): Promise<void> {
    this.#open?.close();
    await wait(5_000);
  }
}

let server: Server;
const wait = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}")));
  vi.stubGlobal("sessionStorage", { getItem: () => null });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function answering(id?: string): Promise<Answering> {
  const one = new Answering(server.door, id);
  void one.run();
  await wait(0);
  return one;
}

test("an answer is asked for once, and ends with its last event", async () => {
  const one = await answering();
  await server.send(START, delta(2, "Hel"), delta(3, "lo"));
  expect(one.snapshot).toMatchObject({ connection: "open", answer: { text: "Hello" } });
  await server.send(done(4, "Hello."));
  await wait(60_000);
  expect(one.snapshot).toMatchObject({ connection: "over", answer: { text: "Hello.", isOver: true } });
  expect([server.asked, server.started, server.ended.length]).toEqual([[undefined], ["t1"], 1]);
});

test("a connection that breaks is resumed after the last event, and what comes again isn't shown again", async () => {
  const one = await answering();
  await server.send(START, delta(2, "Hel"));
  await server.cut();
  expect(server.asked).toEqual([undefined, "t1:2"]);
  await server.send(delta(2, "Hel"), delta(3, "lo"));
  expect(one.snapshot).toMatchObject({ connection: "open", answer: { text: "Hello" } });
  await server.cut();
  await server.send(done(4, "Hello"));
  expect(server.asked).toEqual([undefined, "t1:2", "t1:3"]);
  expect(one.snapshot.connection).toBe("over");
});

test("when the network is back, a connection that may be dead is replaced, but no request is repeated", async () => {
  const one = await answering();
  one.renew();
  await wait(5_000);
  expect(server.asked).toEqual([undefined]);
  await server.send(START, delta(2, "Hel"));
  one.renew();
  await wait(5_000);
  expect(server.asked).toEqual([undefined, "t1:2"]);
  await server.send(delta(3, "lo"));
  expect(one.snapshot).toMatchObject({ connection: "open", answer: { text: "Hello" } });
});

test("a break is told, and so is the end of it", async () => {
  const told: string[] = [];
  const one = await answering();
  one.subscribe(() => told.at(-1) !== one.snapshot.connection && told.push(one.snapshot.connection));
  await server.send(START);
  await server.cut();
  await server.send(done(2, ""));
  expect(told).toEqual(["open", "lost", "open", "over"]);
});

test("after a reload, a running answer is heard from its start", async () => {
  const one = await answering("t1");
  expect(server.asked).toEqual(["t1:0"]);
  await server.send(START, delta(2, "Hello"));
  expect(one.snapshot.answer.text).toBe("Hello");
});

test("a stream that isn't kept any more is gone, and asked for once", async () => {
  server.status = 404;
  const one = await answering("t1");
  await wait(60_000);
  expect(one.snapshot).toMatchObject({ connection: "over", isGone: true });
  expect([server.asked.length, server.ended.length]).toEqual([1, 1]);
});

test("a refusal ends it with its reason", async () => {
  server.status = 429;
  const one = await answering();
  await wait(60_000);
  expect(one.snapshot.refusal).toMatchObject({ status: 429, code: "quota_exceeded" });
  expect([server.asked.length, server.started]).toEqual([1, []]);
});

test("a refusal before the request ends it, too", async () => {
  const connect = (): Promise<Response> => Promise.reject(new Refusal(403, { code: "forbidden" }));
  const one = new Answering({ ...server.door, connect });
  await one.run();
  expect(one.snapshot).toMatchObject({ connection: "over", refusal: { status: 403 } });
  expect(server.ended).toHaveLength(1);
});

test("a request without an answer is repeated: the server knows it by its key", async () => {
  server.isUp = false;
  const one = await answering();
  server.isUp = true;
  await wait(5_000);
  expect(server.asked).toEqual([undefined, undefined]);
  await server.send(START, delta(2, "Hel"));
  await server.cut();
  expect(server.asked).toEqual([undefined, undefined, "t1:2"]);
  await server.send(done(3, "Hello"));
  expect(one.snapshot).toMatchObject({ connection: "over", answer: { text: "Hello" } });
});

test("a busy server is asked to resume again", async () => {
  const one = await answering();
  await server.send(START, delta(2, "Hel"));
  server.status = 503;
  await server.cut();
  await wait(5_000);
  server.status = 200;
  await wait(30_000);
  await server.send(done(3, "Hello"));
  expect(one.snapshot).toMatchObject({ connection: "over", answer: { text: "Hello" } });
});

test("stop asks the server, and waits for the end", async () => {
  const one = await answering();
  await server.send(START, delta(2, "Hel"));
  await one.stop();
  expect([server.stopped, one.snapshot.isStopping, one.snapshot.connection]).toEqual([["t1"], true, "open"]);
  await server.send(done(3, "Hel", "stopped"));
  expect(one.snapshot).toMatchObject({ connection: "over", answer: { finishReason: "stopped" } });
});

test("stop before the answer begins stops it when it does", async () => {
  const one = await answering();
  await one.stop();
  expect(server.stopped).toEqual([]);
  await server.send(START);
  expect(server.stopped).toEqual(["t1"]);
});
