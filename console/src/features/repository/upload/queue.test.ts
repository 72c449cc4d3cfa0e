import { describe, expect, it } from "vitest";

import { Refusal } from "@/api/client";

import { beside } from "../naming";
import { AT_ONCE, Uploads, type Sending } from "./queue";

/** A fake server that holds every upload until released. */
class Harbour {
  underway: (Sending & { land: (fault?: unknown) => void })[] = [];
  landed = new Map<string, boolean>();
  unwanted: string[] = [];
  queue = new Uploads(
    (sending) =>
      new Promise((resolve, reject) => {
        const land = (fault?: unknown): void => {
          this.underway = this.underway.filter((one) => one.key !== sending.key);
          if (fault) return reject(fault as Error);
          this.landed.set(sending.key, sending.replaces);
          resolve({ id: `id of ${sending.key}` });
        };
        sending.signal.addEventListener("abort", () => land(new Error("aborted")));
        this.underway.push({ ...sending, land });
      }),
    ({ key, upload }) => void this.unwanted.push(`${key} ${upload ?? ""}`),
  );

  add(...keys: string[]): void {
    this.queue.add(keys.map((key) => ({ key, file: new File(["12345"], key) })), "team");
  }

  async land(key: string, fault?: unknown): Promise<void> {
    this.underway.find((one) => one.key === key)?.land(fault);
    await new Promise((rest) => setTimeout(rest));
  }

  get states(): string[] {
    return this.queue.snapshot.map(({ key, state }) => `${key} ${state}`);
  }
}

const SEEN = new Refusal(412, { code: "version_mismatch" });
const HIDDEN = new Refusal(409, { code: "conflict" });

describe("a queue of uploads", () => {
  it("sends a few at a time, in order", async () => {
    const harbour = new Harbour();
    harbour.add("a", "b", "c", "d", "e");
    expect(harbour.underway.map(({ key }) => key)).toEqual(["a", "b", "c"].slice(0, AT_ONCE));
    await harbour.land("b");
    expect(harbour.states).toEqual(["a sending", "b done", "c sending", "d sending", "e waiting"]);
  });

  it("stops one without stopping the others, and tries it again", async () => {
    const harbour = new Harbour();
    harbour.add("a", "b");
    harbour.queue.cancel(1);
    await harbour.land("b");
    expect(harbour.states).toEqual(["a stopped", "b done"]);
    harbour.queue.retry(1);
    await harbour.land("a");
    expect(harbour.states).toEqual(["a done", "b done"]);
    harbour.queue.clear();
    expect(harbour.states).toEqual([]);
  });

  it("keeps what went wrong with one", async () => {
    const harbour = new Harbour();
    harbour.add("a");
    await harbour.land("a", new Refusal(507, { code: "storage_full" }));
    expect(harbour.queue.snapshot[0]).toMatchObject({ state: "failed", fault: { code: "storage_full" } });
    expect(harbour.queue.busy).toBe(false);
  });

  it("asks before it puts a file over another", async () => {
    const harbour = new Harbour();
    harbour.add("a");
    await harbour.land("a", SEEN);
    expect(harbour.states).toEqual(["a asks"]);
    expect(harbour.queue.busy).toBe(true);
    harbour.queue.answer(1, "replace", false);
    await harbour.land("a");
    expect(harbour.landed).toEqual(new Map([["a", true]]));
  });

  it("keeps both under the first name that is free", async () => {
    const harbour = new Harbour();
    harbour.add("x/a.txt");
    await harbour.land("x/a.txt", SEEN);
    harbour.queue.answer(1, "both", false);
    await harbour.land("x/a (2).txt", HIDDEN);
    await harbour.land("x/a (3).txt");
    expect(harbour.queue.snapshot[0]).toMatchObject({ state: "done", key: "x/a (3).txt" });
  });

  it("is told once for all, but never replaces what may not be seen", async () => {
    const harbour = new Harbour();
    harbour.add("a", "b", "c");
    await harbour.land("a", SEEN);
    harbour.queue.answer(1, "replace", true);
    await harbour.land("b", SEEN);
    await harbour.land("c", HIDDEN);
    expect(harbour.states).toEqual(["a sending", "b sending", "c asks"]);
    harbour.queue.answer(3, "skip", false);
    await harbour.land("a");
    await harbour.land("b");
    expect(harbour.states).toEqual(["a done", "b done", "c skipped"]);
    harbour.add("d");
    await harbour.land("d", SEEN);
    expect(harbour.states.at(-1)).toBe("d asks");
  });
});

describe("an interrupted upload", () => {
  const file = (name: string, lastModified: number): File => new File(["12345"], name, { lastModified });

  it("goes on with the same file, and with no other", async () => {
    const harbour = new Harbour();
    harbour.queue.restore({ upload: "u", key: "x/a", size: 5, modified: 7 });
    harbour.queue.restored("u", 3);
    expect(harbour.queue.snapshot[0]).toMatchObject({ state: "interrupted", sent: 3 });
    expect(harbour.queue.busy).toBe(false);
    expect(harbour.queue.resume(1, file("a", 8))).toBe(false);
    expect(harbour.queue.resume(1, file("a", 7))).toBe(true);
    await harbour.land("x/a");
    expect(harbour.states).toEqual(["x/a done"]);
  });

  it("goes on when its file is dropped again, and is discarded when nobody wants it", async () => {
    const harbour = new Harbour();
    harbour.queue.restore({ upload: "u", key: "a", size: 5, modified: 7 });
    harbour.queue.add([{ key: "a", file: file("a", 7) }], "team");
    expect(harbour.states).toEqual(["a sending"]);
    await harbour.land("a");
    harbour.queue.restore({ upload: "v", key: "b", size: 5, modified: 7 });
    harbour.queue.clear();
    expect([harbour.states, harbour.unwanted]).toEqual([[], ["b v"]]);
  });

  it("was paused, and goes on", async () => {
    const harbour = new Harbour();
    harbour.add("a", "b");
    harbour.queue.pause(1);
    await harbour.land("b");
    expect(harbour.states).toEqual(["a paused", "b done"]);
    expect(harbour.queue.busy).toBe(true);
    harbour.queue.retry(1);
    await harbour.land("a");
    expect([harbour.states, harbour.unwanted]).toEqual([["a done", "b done"], []]);
  });

  it("goes on at once, before what was paused has ended", async () => {
    const harbour = new Harbour();
    harbour.add("a", "b");
    harbour.queue.pause(1);
    harbour.queue.retry(1);
    await harbour.land("b");
    expect(harbour.states).toEqual(["a sending", "b done"]);
    await harbour.land("a");
    expect(harbour.states).toEqual(["a done", "b done"]);
  });
});

describe("a name beside another", () => {
  it("keeps the folder and the extension", () => {
    expect(["a/b.tar/c.txt", "c", ".hidden", "a/Version 1.2 of the plan"].map((key) => beside(key, 2))).toEqual([
      "a/b.tar/c (2).txt", "c (2)", ".hidden (2)", "a/Version 1.2 of the plan (2)",
    ]);
  });
});
