import { describe, expect, it } from "vitest";

import { Refusal } from "@/api/client";

import { intoItself, newKey } from "./plan";
import { AT_ONCE, Transfer, type Act, type Step } from "./transfer";

const step = (name: string): Step => ({ id: name, from: `a/${name}`, to: `b/${name}` });
const transfer = (names: string[], act: Act): Transfer => new Transfer(() => Promise.resolve(names.map(step)), act);
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A folder in which some names are taken. */
function store(...taken: string[]): { keys: string[]; act: Act } {
  const keys = [...taken];
  return {
    keys,
    act: ({ to, replaces }) => {
      if (keys.includes(to) && !replaces) return Promise.reject(new Refusal(409, { code: "conflict" }));
      keys.push(to);
      return Promise.resolve();
    },
  };
}

describe("a transfer", () => {
  it("does a few at a time, and reports what failed", async () => {
    let most = 0;
    let now = 0;
    const run = await transfer(["1", "2", "3", "4", "5", "6", "7"], async ({ id }) => {
      most = Math.max(most, ++now);
      await turn();
      now--;
      if (id === "3") throw new Refusal(403, { code: "forbidden" });
    }).run();
    expect(most).toBe(AT_ONCE);
    expect(run).toMatchObject({ state: "ended", total: 7, done: 6, failures: [{ key: "a/3" }], cancelled: false });
  });

  it("asks about names that are taken, once or for all", async () => {
    const { keys, act } = store("b/1.txt", "b/2.txt", "b/3.txt", "b/3 (2).txt");
    const moving = transfer(["1.txt", "2.txt", "3.txt"], act);
    const ended = moving.run();
    await turn();
    expect(moving.snapshot.taken).toEqual(["b/1.txt", "b/2.txt", "b/3.txt"]);
    moving.answer("skip", false);
    moving.answer("both", true);
    expect(await ended).toMatchObject({ done: 2, skipped: 1, failures: [] });
    expect(keys.slice(4)).toEqual(["b/2 (2).txt", "b/3 (3).txt"]);
    expect(moving.performed.map(({ to }) => to)).toEqual(["b/2 (2).txt", "b/3 (3).txt"]);
  });

  it("replaces what has the name, and reports what may not be", async () => {
    const { keys, act } = store("b/1.txt", "b/2.txt", "b/3.txt");
    const moving = transfer(["1.txt", "2.txt", "3.txt"], (step, signal) => {
      if (step.id === "2.txt" && step.replaces) return Promise.reject(new Refusal(409, { code: "conflict" }));
      return act(step, signal);
    });
    const ended = moving.run();
    await turn();
    moving.answer("replace", true);
    expect(await ended).toMatchObject({ done: 2, skipped: 0, failures: [{ key: "a/2.txt" }] });
    expect(moving.performed.map(({ to, replaces }) => [to, replaces])).toEqual([["b/1.txt", true], ["b/3.txt", true]]);
    expect(keys).toContain("b/2.txt");
  });

  it("stops where it is, and keeps what was done", async () => {
    const moving = transfer(["1", "2", "3", "4", "5", "6"], async ({ id }) => {
      if (id === "4") moving.cancel();
      await turn();
    });
    expect(await moving.run()).toMatchObject({ state: "ended", cancelled: true, failures: [] });
    expect(moving.performed.length).toBeLessThan(6);
  });

  it("ends with the reason if the files can't be listed", async () => {
    await expect(new Transfer(() => Promise.reject(new Refusal(500, {})), () => Promise.resolve()).run()).rejects.toThrow(Refusal);
  });
});

describe("a new key", () => {
  it("keeps the name of a file, and what is below a folder", () => {
    expect(newKey("a/b/c.txt", "a/b/", "x/")).toBe("x/c.txt");
    expect(newKey("a/b/c/d.txt", "a/b/", "")).toBe("c/d.txt");
  });

  it("is never inside the folder that moves", () => {
    expect([intoItself("a/b/", "a/b/"), intoItself("a/b/", "a/b/c/"), intoItself("a/b/", "a/"), intoItself("a/b/", "a/bc/")]).toEqual([true, true, false, false]);
  });
});
