import { describe, expect, it } from "vitest";

import { draftsOf, type Draft } from "./drafts";
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
  };
}

const draft: Draft<typeof EMPTY> = { text: { ...EMPTY, body: "mine" }, base: EMPTY, version: 3, at: "2026-02-01T10:00:00Z" };

describe("drafts", () => {
  it("gives back what was kept, until it is dropped", () => {
    const drafts = draftsOf(NOTES, "ann", shelf());
    expect(drafts.keep("n1", draft)).toBe(true);
    expect(drafts.find("n1")).toEqual(draft);
    drafts.drop("n1");
    expect(drafts.find("n1")).toBeNull();
  });

  it("keeps people and notes apart", () => {
    const shared = shelf();
    draftsOf(NOTES, "ann", shared).keep("n1", draft);
    expect(draftsOf(NOTES, "bo", shared).find("n1")).toBeNull();
    expect(draftsOf(NOTES, "ann", shared).find("n2")).toBeNull();
  });

  it("keeps kinds apart, and takes for a draft only what has the fields of its kind", () => {
    const shared = shelf();
    const bare = { title: "", body: "", visibility: "private" as const };
    draftsOf(mannerOf("note", bare), "ann", shared).keep("n1", { ...draft, text: bare });
    expect(draftsOf(mannerOf("document", EMPTY), "ann", shared).find("n1")).toBeNull();
    expect(draftsOf(NOTES, "ann", shared).find("n1")).toBeNull();
  });

  it("says when the browser would not keep it", () => {
    const full = { ...shelf(), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
    expect(draftsOf(NOTES, "ann", full).keep("n1", draft)).toBe(false);
  });

  it("takes nothing that is not a draft", () => {
    const shared = shelf();
    for (const text of ["null", "{", "[]", '{"text":{"title":1}}', '"x"']) {
      shared.kept.set("teamspace.draft.note.ann.n1", text);
      expect(draftsOf(NOTES, "ann", shared).find("n1")).toBeNull();
    }
  });
});
