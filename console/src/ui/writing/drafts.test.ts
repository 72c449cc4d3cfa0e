import { describe, expect, it } from "vitest";

import { draftsOf, forgetDrafts, hasDrafts, MOST_DRAFTS, MOST_LETTERS, NEW, type Draft } from "./drafts";
import { mannerOf } from "./text";

const EMPTY = { title: "", body: "", visibility: "private" as const, tags: [] as string[] };
const NOTES = mannerOf("note", EMPTY);

function shelf() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (place: number) => [...kept.keys()][place] ?? null,
    get length() {
      return kept.size;
    },
  };
}

const draft: Draft<typeof EMPTY> = { text: { ...EMPTY, body: "mine" }, base: EMPTY, version: 3, at: "2026-02-01T10:00:00Z" };

describe("drafts", () => {
  it("gives back what was kept, until it is dropped", () => {
    const drafts = draftsOf(NOTES, "ann", "baking", shelf());
    expect(drafts.keep("n1", draft)).toBe(true);
    expect(drafts.find("n1")).toMatchObject(draft);
    drafts.drop("n1");
    expect(drafts.find("n1")).toBeNull();
  });

  it("of a new text are offered in the team in which it was begun, and those of others anywhere", () => {
    const shared = shelf();
    const inTeam = (team: string) => draftsOf(NOTES, "ann", team, shared);
    inTeam("baking").keep(NEW, draft);
    inTeam("baking").keep("n1", draft);
    expect(inTeam("sales").find(NEW)).toBeNull();
    expect(inTeam("baking").find(NEW)).toMatchObject(draft);
    expect(inTeam("sales").find("n1")).toMatchObject(draft);
  });

  it("of two tabs are kept apart, and offered one after the other, the newest first", () => {
    const shared = shelf();
    const [one, other] = [draftsOf(NOTES, "ann", "baking", shared), draftsOf(NOTES, "ann", "baking", shared)];
    one.keep("n1", draft);
    other.keep("n1", { ...draft, at: "2026-02-01T10:05:00Z", text: { ...EMPTY, body: "other" } });
    const next = draftsOf(NOTES, "ann", "baking", shared);
    expect(next.find("n1")?.text.body).toBe("other");
    next.drop("n1");
    other.drop("n1");
    const found = next.find("n1");
    expect(found?.text.body).toBe("mine");
    next.drop("n1", found);
    expect(shared.kept.size).toBe(0);
  });

  it("keeps people and notes apart", () => {
    const shared = shelf();
    draftsOf(NOTES, "ann", "baking", shared).keep("n1", draft);
    expect(draftsOf(NOTES, "bo", "baking", shared).find("n1")).toBeNull();
    expect(draftsOf(NOTES, "ann", "baking", shared).find("n2")).toBeNull();
  });

  it("keeps kinds apart, and takes for a draft only what has the fields of its kind", () => {
    const shared = shelf();
    const bare = { title: "", body: "", visibility: "private" as const };
    draftsOf(mannerOf("note", bare), "ann", "baking", shared).keep("n1", { ...draft, text: bare });
    expect(draftsOf(mannerOf("document", EMPTY), "ann", "baking", shared).find("n1")).toBeNull();
    expect(draftsOf(NOTES, "ann", "baking", shared).find("n1")).toBeNull();
  });

  it("says when the browser would not keep it", () => {
    const full = { ...shelf(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
    expect(draftsOf(NOTES, "ann", "baking", full).keep("n1", draft)).toBe(false);
  });

  it("makes room for a new one by the oldest, of the same person alone", () => {
    const shared = shelf();
    draftsOf(NOTES, "bo", "baking", shared).keep("n0", draft);
    const drafts = draftsOf(NOTES, "ann", "baking", shared);
    const at = (minute: number) => new Date(Date.UTC(2026, 1, 1, 10, minute)).toISOString();
    for (let place = 0; place < MOST_DRAFTS; place++) drafts.keep(`n${place}`, { ...draft, at: at(place) });
    drafts.keep("n0", { ...draft, at: at(50) });
    drafts.keep("another", { ...draft, at: at(51) });
    expect(drafts.find("n1")).toBeNull();
    expect(drafts.find("n0")).not.toBeNull();
    expect(drafts.find("another")).not.toBeNull();
    expect(shared.kept.size).toBe(MOST_DRAFTS + 1);
    expect(draftsOf(NOTES, "bo", "baking", shared).find("n0")).not.toBeNull();
  });

  it("keeps nothing too large, and leaves what stood there before", () => {
    const drafts = draftsOf(NOTES, "ann", "baking", shelf());
    drafts.keep("n1", draft);
    expect(drafts.keep("n1", { ...draft, text: { ...EMPTY, body: "x".repeat(MOST_LETTERS) } })).toBe(false);
    expect(drafts.find("n1")).toMatchObject(draft);
  });

  it("are forgotten when their person goes, and only theirs", () => {
    const shared = shelf();
    draftsOf(NOTES, "ann", "baking", shared).keep("n1", draft);
    draftsOf(mannerOf("document", EMPTY), "ann", "baking", shared).keep("d1", draft);
    draftsOf(NOTES, "bo", "baking", shared).keep("n1", draft);
    forgetDrafts("ann", shared);
    expect([hasDrafts("ann", shared), hasDrafts("bo", shared)]).toEqual([false, true]);
  });

  it("takes nothing that is not a draft", () => {
    const shared = shelf();
    for (const text of ["null", "{", "[]", '{"text":{"title":1}}', '"x"']) {
      shared.kept.set("teamspace.draft.note.ann.n1.tab", text);
      expect(draftsOf(NOTES, "ann", "baking", shared).find("n1")).toBeNull();
    }
  });
});
