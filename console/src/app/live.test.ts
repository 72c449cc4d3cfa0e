import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { changeOf, type Change } from "@/api/live";

import { FRESHNESS, GATHER_MS, Refresher, SPACING_MS } from "./live";

const page = { visibilityState: "visible" };
let queries: QueryClient;
let refresher: Refresher;
let fetched: string[];
let stops: (() => void)[];

/** A query that a screen shows. */
function show(...queryKey: string[]): void {
  const queryFn = (): Promise<number> => Promise.resolve(fetched.push(queryKey.join("/")));
  stops.push(new QueryObserver(queries, { queryKey, queryFn, staleTime: 60_000 }).subscribe(() => undefined));
}

const changed = (type: string, id: string): Change => ({ type, id, change: "updated" });
const wait = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  page.visibilityState = "visible";
  queries = new QueryClient();
  refresher = new Refresher(queries);
  fetched = [];
  stops = [];
  show("notes", "list");
  show("notes", "one", "n1");
  show("notes", "one", "n2");
  show("files", "one", "f1");
  show("files", "one", "f1", "bytes");
  show("jobs", "active");
  show("session", "whoami");
  await wait(0);
  fetched = [];
});

afterEach(() => {
  stops.forEach((stop) => stop());
  queries.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a change refetches what it makes stale, and nothing else", async () => {
  refresher.onChange(changed("note", "n1"));
  await wait(GATHER_MS);
  expect(fetched.sort()).toEqual(["notes/list", "notes/one/n1"]);
});

test("a file's bytes, which never change, aren't fetched again", async () => {
  refresher.onChange(changed("object", "f1"));
  await wait(GATHER_MS);
  expect(fetched).toEqual(["files/one/f1"]);
});

test("a burst is one refetch, and one that goes on is spread", async () => {
  for (let count = 0; count < 50; count++) refresher.onChange(changed("note", "n1"));
  await wait(GATHER_MS);
  expect(fetched).toHaveLength(2);
  for (let count = 0; count < 60; count++) {
    refresher.onChange(changed("note", "n1"));
    await wait(100);
  }
  const rounds = fetched.filter((key) => key === "notes/list").length;
  expect(rounds).toBeGreaterThan(5);
  expect(rounds).toBeLessThanOrEqual(2 + 6_000 / SPACING_MS);
});

test("a hidden tab waits until it is shown", async () => {
  page.visibilityState = "hidden";
  refresher.onChange(changed("note", "n1"));
  await wait(60_000);
  expect(fetched).toEqual([]);
  page.visibilityState = "visible";
  refresher.onShown();
  await wait(GATHER_MS);
  expect(fetched.sort()).toEqual(["notes/list", "notes/one/n1"]);
});

test("a gap refetches all that events tell of; a reset, everything", async () => {
  refresher.onGap();
  await wait(GATHER_MS);
  expect(fetched).toHaveLength(6);
  expect(fetched).not.toContain("session/whoami");
  fetched = [];
  refresher.onReset();
  refresher.onGap();
  await wait(SPACING_MS + GATHER_MS);
  expect(fetched).toHaveLength(7);
});

test("what is asked for after a gap is certain", async () => {
  refresher.onGap();
  show("notes", "one", "n3");
  await wait(GATHER_MS);
  expect(fetched.filter((key) => key === "notes/one/n3")).toHaveLength(1);
  expect(fetched).toHaveLength(7);
});

test("more changes than can be told apart are a gap", async () => {
  for (let count = 0; count < 500; count++) refresher.onChange(changed("note", `x${count}`));
  await wait(GATHER_MS);
  expect(fetched).toHaveLength(6);
});

test("a change during a refetch is fetched after it", async () => {
  let answer: (value: number) => void = () => undefined;
  const slow = vi.fn(() => new Promise<number>((resolve) => (answer = resolve)));
  stops.push(new QueryObserver(queries, { queryKey: ["usage"], queryFn: slow }).subscribe(() => undefined));
  answer(0);
  await wait(0);
  refresher.onChange(changed("usage", "t"));
  await wait(GATHER_MS);
  refresher.onChange(changed("usage", "t"));
  await wait(3_000);
  expect(slow).toHaveBeenCalledTimes(2);
  answer(1);
  await wait(SPACING_MS);
  expect(slow).toHaveBeenCalledTimes(3);
  answer(2);
  await wait(0);
});

test("every type has its queries", () => {
  const keys = (type: string): string[] =>
    FRESHNESS.filter((row) => row.type === type).flatMap((row) => row.stale("ID").map(({ queryKey }) => queryKey.join("/")));
  expect(keys("note")).toEqual([
    "notes/list", "notes/one/ID", "references", "sharing/ID", "search", "notes/recent", "mentions", "activity", "shared", "trash", "favourites", "recents",
  ]);
  expect(keys("object")).toEqual([
    "files/list", "files/folders", "files/one/ID", "processing", "versions/ID", "sharing/ID",
    "documents/list", "documents/one/ID", "references", "entities", "search", "files/recent", "mentions", "activity", "shared", "trash",
    "links", "favourites", "recents",
  ]);
  expect(keys("job")).toEqual(["jobs/list", "jobs/active", "jobs/latest", "jobs/one/ID", "localization/coverage"]);
  expect(keys("note_presence")).toEqual(["presence/note/ID"]);
  expect(keys("object_presence")).toEqual(["presence/object/ID"]);
  expect(keys("conversation_presence")).toEqual(["presence/conversation/ID"]);
  expect(keys("run_presence")).toEqual(["presence/run/ID"]);
  expect(keys("usage")).toEqual(["usage"]);
  expect(keys("prospect")).toEqual(["sign-up/prospects", "sign-up/numbers"]);
  expect(keys("member")).toEqual(["members", "company/people"]);
});

test("what isn't a change is ignored", () => {
  const event = (data: string) => ({ name: "change", id: "1", data });
  expect(changeOf(event('{"type":"note","id":"n","change":"created"}'))).toEqual({ type: "note", id: "n", change: "created" });
  for (const data of ["", "null", "[]", "{}", '{"type":1,"id":"n"}']) expect(changeOf(event(data))).toBeUndefined();
});
