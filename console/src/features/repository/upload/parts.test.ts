import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { api, Refusal } from "@/api/client";

import { isLong, partSizeOf, partsOf, sendParts } from "./parts";
import type { Sending } from "./queue";
import { forgetAll } from "./records";

const MIB = 1024 * 1024;

describe("the parts of a file", () => {
  it("are as long as its part size, but for the last", () => {
    expect(partsOf(26 * MIB, 8 * MIB)).toEqual([8 * MIB, 8 * MIB, 8 * MIB, 2 * MIB]);
    expect(partsOf(16 * MIB, 8 * MIB)).toEqual([8 * MIB, 8 * MIB]);
  });

  it("are never more than the server takes", () => {
    for (const size of [9 * MIB, 100_000 * MIB, 5 * 1024 * 1024 * MIB]) {
      const partSize = partSizeOf(size);
      expect(partSize % MIB).toBe(0);
      expect(Math.ceil(size / partSize)).toBeLessThanOrEqual(10_000);
    }
  });

  it("are for large files only", () => {
    expect([isLong(new Blob(["small"])), isLong({ size: 8 * MIB + 1 } as Blob)]).toEqual([false, true]);
  });
});

describe("an upload by parts", () => {
  const file = new File(["12345"], "a");
  const sending: Sending = {
    key: "a", file, visibility: "private", replaces: false, onSent: () => undefined, onLost: () => undefined, signal: new AbortController().signal,
  };
  let asked: string[];
  let isFree: boolean;

  /** A server that has all parts of every upload. */
  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    });
    asked = [];
    const answered = (data: unknown) => Promise.resolve({ data, response: new Response() }) as never;
    vi.spyOn(api, "GET").mockImplementation((() => answered({ items: [{ number: 1, size: 5 }], next_cursor: null })) as never);
    vi.spyOn(api, "DELETE").mockImplementation(((_: string, { params }: { params: { path: { id: string } } }) => {
      asked.push(`discard ${params.path.id}`);
      return answered(undefined);
    }) as never);
    vi.spyOn(api, "POST").mockImplementation(((path: string, { body, params }: { body: { visibility?: string | null }; params?: { path: { id: string } } }) => {
      const id = params?.path.id ?? (body.visibility === null ? "as it is" : String(body.visibility));
      asked.push(`${path.endsWith("complete") ? "complete" : "begin"} ${id}`);
      return path.endsWith("complete") && !isFree ? Promise.reject(new Refusal(412, { detail: "taken" })) : answered({ id });
    }) as never);
  });
  afterEach(() => {
    forgetAll();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it("leaves the visibility of a file that it replaces, also if it was begun for a new one", async () => {
    isFree = false;
    await expect(sendParts(sending)).rejects.toThrow("taken");
    isFree = true;
    await sendParts({ ...sending, replaces: true });
    expect(asked).toEqual(["begin private", "complete private", "discard private", "begin as it is", "complete as it is"]);
  });

  it("goes on with what was begun", async () => {
    isFree = false;
    await expect(sendParts(sending)).rejects.toThrow("taken");
    await expect(sendParts(sending)).rejects.toThrow("taken");
    expect(asked).toEqual(["begin private", "complete private", "complete private"]);
  });
});
