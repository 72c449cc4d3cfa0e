// @vitest-environment jsdom
/** Sessions of a tab, when the team is changed and when the page is closed. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Whoami } from "@/session";

import { mannerOf, type Kept, type Written } from "./text";
import type { Desk } from "./writing";

const PAUSE = 1_000;
const EMPTY = { title: "", body: "", visibility: "private" as const };

let created: Written[];

const desk: Desk<Written> = {
  manner: mannerOf<Written>("note", EMPTY),
  untitled: "Untitled",
  create(text) {
    created.push(text);
    return Promise.resolve({ ...text, id: "n1", version: 1, updated_at: "" });
  },
  update: (_id, change, version) => Promise.resolve({ ...EMPTY, ...change, id: "n1", version: version + 1, updated_at: "" } as Kept<Written>),
  fetch: () => Promise.reject(new Error("nothing is fetched")),
  saved: () => undefined,
};

const inTeam = (id: string): Whoami => ({ user: { id: "ann" }, team: { id } }) as Whoami;

async function parts() {
  const { isAllSaved, leaveTeam, writingOf } = await import("./open");
  return { isAllSaved, leaveTeam, newIn: (team: string) => writingOf(inTeam(team), null, desk) };
}

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  localStorage.clear();
  created = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a new text is never created in another team: it's offered in the one in which it was begun", async () => {
  const { isAllSaved, leaveTeam, newIn } = await parts();
  newIn("baking").write({ body: "of bread" });
  expect(isAllSaved()).toBe(false);
  await leaveTeam(() => vi.advanceTimersByTimeAsync(PAUSE));
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(created).toEqual([]);
  expect(newIn("sales").snapshot).toMatchObject({ text: EMPTY, offer: null });
  await leaveTeam(() => Promise.resolve());
  expect(newIn("baking").snapshot.offer?.text.body).toBe("of bread");
});

test("a text is saved when the team could not be changed", async () => {
  const { isAllSaved, leaveTeam, newIn } = await parts();
  newIn("baking").write({ body: "of bread" });
  await expect(leaveTeam(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(created).toHaveLength(1);
  expect(isAllSaved()).toBe(true);
});

/** Whether the browser asks before it closes the page. */
const asksOnClosing = (): boolean => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

test("the browser asks before it closes a text that is neither saved nor kept", async () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const { newIn } = await parts();
  newIn("baking").write({ body: "of bread" });
  expect(asksOnClosing()).toBe(true);
  await vi.advanceTimersByTimeAsync(PAUSE);
  expect(asksOnClosing()).toBe(false);
});

test("and doesn't while there is a draft of it", async () => {
  const { newIn } = await parts();
  newIn("baking").write({ body: "of bread" });
  expect(asksOnClosing()).toBe(false);
});
