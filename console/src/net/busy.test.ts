import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { retryWhileBusy } from "./busy";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (status: number, code: string, after?: number): Response =>
  new Response(JSON.stringify({ code }), { status, headers: after === undefined ? {} : { "retry-after": String(after) } });

/** What a request ends with, and how often it is sent. */
async function outcome(...responses: Response[]): Promise<[status: number, sent: number]> {
  let sent = 0;
  const answered = retryWhileBusy(() => Promise.resolve(responses[Math.min(sent++, responses.length - 1)]!.clone()));
  await vi.advanceTimersByTimeAsync(60_000);
  return [(await answered).status, sent];
}

test("a request is sent again while the server is busy or requests come too fast", async () => {
  expect(await outcome(refusal(503, "overloaded", 1), refusal(429, "rate_limited", 1), new Response())).toEqual([200, 3]);
  expect(await outcome(refusal(429, "rate_limited", 1))).toEqual([429, 6]);
});

test("what waiting doesn't help, or not soon, is told at once", async () => {
  for (const response of [
    refusal(429, "rate_limited", 3600), refusal(429, "rate_limited"), refusal(429, "quota_exceeded", 1), refusal(429, "too_many_attempts", 1),
    refusal(503, "not_ready"), refusal(409, "conflict"),
  ]) {
    expect(await outcome(response)).toEqual([response.status, 1]);
  }
});

/** The rate limit of the server, as in `core/limits.py`. */
class Bucket {
  #level = 200;
  #since = Date.now();

  spend(): Response {
    this.#level = Math.min(200, this.#level + (Date.now() - this.#since) / 50);
    this.#since = Date.now();
    if (this.#level < 1) return refusal(429, "rate_limited", 1);
    this.#level -= 1;
    return new Response();
  }
}

test("hundreds of requests that are sent a few at a time all get through the default rate", async () => {
  const bucket = new Bucket();
  const statuses: number[] = [];
  const send = async (): Promise<Response> => {
    await new Promise((resume) => setTimeout(resume, 10));
    return bucket.spend();
  };
  const worker = async (): Promise<void> => {
    for (let request = 0; request < 200; request++) statuses.push((await retryWhileBusy(send)).status);
  };
  const done = Promise.all([worker(), worker(), worker(), worker()]);
  await vi.advanceTimersByTimeAsync(120_000);
  await done;
  expect(statuses).toEqual(Array<number>(800).fill(200));
});

test("a request that is aborted doesn't wait", async () => {
  const stop = new AbortController();
  const send = vi.fn(() => (stop.signal.aborted ? Promise.reject(new Error("aborted")) : Promise.resolve(refusal(429, "rate_limited", 5))));
  const answered = retryWhileBusy(send, stop.signal);
  const failed = expect(answered).rejects.toThrow("aborted");
  await vi.advanceTimersByTimeAsync(100);
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  await failed;
});
