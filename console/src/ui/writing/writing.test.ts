import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Refusal } from "@/api/client";

import { draftsOf, NEW, type Draft as DraftOf, type Drafts as DraftsOf } from "./drafts";
import { AT_EVERY_PAUSE, mannerOf, type Kept, type Pace, type Written } from "./text";
import { unlessOvertaken, Writing, type Desk } from "./writing";

interface NoteText extends Written {
  tags: string[];
}

type Note = Kept<NoteText>;
type NoteChange = Partial<NoteText>;
type Draft = DraftOf<NoteText>;
type Drafts = DraftsOf<NoteText>;

const PAUSE = AT_EVERY_PAUSE.pause;

const NOTE: Note = {
  id: "n1", title: "Plan", body: "one\ntwo", visibility: "private", tags: [], version: 3, updated_at: "2026-02-01T10:00:00Z",
};

/** A fake server with one note: can go offline, and others can write to it. */
class Server implements Desk<NoteText> {
  manner = mannerOf<NoteText>("note", { title: "", body: "", visibility: "private", tags: [] });
  untitled = "Untitled";
  note: Note | null;
  away = false;
  created: string[] = [];
  changes: NoteChange[] = [];
  told: number[] = [];
  loseAnswer = false;
  answers = new Map<string, Note>();

  constructor(note: Note | null) {
    this.note = note;
  }

  create = (text: NoteText, key: string): Promise<Note> =>
    this.#answered(() => {
      if (!this.created.includes(key)) {
        this.created.push(key);
        this.note = { ...NOTE, ...text, version: 1 };
      }
    });

  update = (_id: string, change: NoteChange, version: number, key: string): Promise<Note> => {
    const known = this.answers.get(key);
    return known ? Promise.resolve(known) : this.#updated(change, version, key);
  };

  /** As documents are shared: without a version, and the answer is what the server has then. */
  share = (change: NoteChange, version: number): Promise<Note> =>
    this.#answered(() => void (this.note = { ...(this.note as Note), ...change })).then((note) => unlessOvertaken(note, version));

  #updated = (change: NoteChange, version: number, key: string): Promise<Note> =>
    this.#answered(() => {
      if (this.note?.version !== version) throw new Refusal(412, { code: "version_mismatch", version: this.note?.version ?? 0 });
      this.changes.push(change);
      this.write(change);
      this.answers.set(key, this.note as Note);
    });

  fetch = (): Promise<Note> => this.#answered(() => undefined);

  saved = (note: Note): void => void this.told.push(note.version);

  write(change: NoteChange): void {
    if (this.note) this.note = { ...this.note, ...change, version: this.note.version + 1 } as Note;
  }

  #answered(act: () => void): Promise<Note> {
    if (this.away) return Promise.reject(new Refusal(0, {}));
    try {
      act();
    } catch (refusal) {
      return Promise.reject(refusal as Error);
    }
    if (this.loseAnswer) {
      this.loseAnswer = false;
      return Promise.reject(new Refusal(0, {}));
    }
    return this.note ? Promise.resolve(this.note) : Promise.reject(new Refusal(404, { code: "not_found" }));
  }
}

function memory(): Drafts & { kept: Map<string, Draft> } {
  const kept = new Map<string, Draft>();
  return {
    kept,
    find: (id) => kept.get(id) ?? null,
    keep: (id, draft) => Boolean(kept.set(id, draft)),
    drop: (id) => void kept.delete(id),
  };
}

function opened(note: Note | null = NOTE, pace: Pace = AT_EVERY_PAUSE) {
  const server = new Server(note);
  server.manner = { ...server.manner, pace };
  const drafts = memory();
  return { server, drafts, writing: new Writing(server, drafts, note) };
}

const wait = (time = PAUSE) => vi.advanceTimersByTimeAsync(time);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("saving", () => {
  it("waits for a pause, sends what changed, and keeps a draft only until then", async () => {
    const { server, drafts, writing } = opened();
    writing.write({ body: "one\ntwo\nthree" });
    expect(writing.snapshot.word).toBe("editing");
    expect(drafts.kept.get("n1")?.text.body).toBe("one\ntwo\nthree");
    await wait(PAUSE - 10);
    writing.write({ body: "one\ntwo\nthree!" });
    await wait(PAUSE - 10);
    expect(server.changes).toEqual([]);
    await wait(10);
    expect(server.changes).toEqual([{ body: "one\ntwo\nthree!" }]);
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 4 });
    expect(drafts.kept.size).toBe(0);
  });

  it("saves somebody who never pauses", async () => {
    const { server, writing } = opened();
    for (let key = 0; key < 30; key++) {
      writing.write({ body: `text ${key}` });
      await wait(500);
    }
    expect(server.changes.length).toBeGreaterThan(0);
  });

  it("makes one version of many pauses where every save is one, and keeps each key all the same", async () => {
    const { server, drafts, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    for (let sentence = 0; sentence < 12; sentence++) {
      writing.write({ body: `text ${sentence}` });
      expect(drafts.kept.get("n1")?.text.body).toBe(`text ${sentence}`);
      await wait(10_000);
    }
    expect(server.changes).toEqual([]);
    await wait(20_000);
    expect(server.changes).toEqual([{ body: "text 11" }]);
    expect(drafts.kept.size).toBe(0);
  });

  it("saves at once when it is asked to", async () => {
    const { server, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    writing.write({ body: "asked" });
    await writing.flush();
    expect(server.changes).toEqual([{ body: "asked" }]);
  });

  it("does not wait with what this browser cannot keep", async () => {
    const { server, drafts, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    drafts.keep = () => false;
    writing.write({ body: "nowhere else" });
    await wait();
    expect(server.changes).toEqual([{ body: "nowhere else" }]);
  });

  it("isn't dropped with a text that is refused and that this browser cannot keep", async () => {
    const { server, drafts, writing } = opened();
    server.update = () => Promise.reject(new Refusal(403, { code: "forbidden" }));
    writing.write({ body: "kept" });
    await wait();
    expect(writing.settled).toBe(true);
    drafts.keep = () => false;
    writing.write({ body: "nowhere else" });
    await wait();
    expect(writing.settled).toBe(false);
  });

  it("sends nothing once whoever wrote has gone, and keeps the draft", async () => {
    const { server, drafts, writing } = opened();
    writing.write({ body: "mine" });
    writing.stop();
    await writing.flush();
    await wait(60_000);
    expect(server.changes).toEqual([]);
    expect(drafts.kept.get("n1")?.text.body).toBe("mine");
  });

  it("never sends an empty title", async () => {
    const { server, writing } = opened();
    writing.write({ title: "  " });
    await wait();
    expect(server.changes).toEqual([{ title: "Untitled" }]);
    expect(writing.snapshot).toMatchObject({ word: "saved", text: { title: "  " } });
  });

  it("creates a new note once, though the first answer is lost", async () => {
    const { server, drafts, writing } = opened(null);
    expect(writing.snapshot.word).toBe("new");
    server.loseAnswer = true;
    writing.write({ title: "Fresh" });
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "offline", id: null });
    expect(drafts.kept.has(NEW)).toBe(true);
    writing.write({ body: "more" });
    await wait(10_000);
    expect(server.created).toHaveLength(1);
    expect(server.note).toMatchObject({ title: "Fresh", body: "more" });
    expect(writing.snapshot).toMatchObject({ word: "saved", id: "n1", version: 2 });
    expect(drafts.kept.size).toBe(0);
  });

  it("creates no second note when the server has lost its answer, until somebody asks for one", async () => {
    const { server, drafts, writing } = opened(null);
    const keys: string[] = [];
    server.create = (_text, key) => {
      keys.push(key);
      return Promise.reject(new Refusal(409, { code: "conflict", key: "idempotency.no_response" }));
    };
    writing.write({ title: "Fresh" });
    await wait();
    writing.write({ title: "Fresh", body: "more" });
    await wait();
    expect(new Set(keys).size).toBe(1);
    expect(writing.snapshot.word).toBe("refused");
    expect(drafts.kept.get(NEW)?.text.body).toBe("more");
    writing.startOver();
    await wait();
    expect(new Set(keys).size).toBe(2);
  });

  it("keeps a refusal and the text, and tries again with the next key", async () => {
    const { server, drafts, writing } = opened();
    server.update = () => Promise.reject(new Refusal(403, { code: "forbidden" }));
    writing.write({ body: "x" });
    await wait();
    expect(writing.snapshot.word).toBe("refused");
    expect(drafts.kept.get("n1")?.text.body).toBe("x");
  });
});

describe("a lost connection", () => {
  it("keeps the draft, says so, and saves when it is back", async () => {
    const { server, drafts, writing } = opened();
    server.away = true;
    writing.write({ body: "offline" });
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "offline", kept: true });
    expect(drafts.kept.get("n1")?.text.body).toBe("offline");
    server.away = false;
    await wait(2_000);
    expect(writing.snapshot.word).toBe("saved");
    expect(server.note?.body).toBe("offline");
  });

  it("is over when the text is as it was", async () => {
    const { server, writing } = opened();
    server.away = true;
    writing.write({ body: "x" });
    await wait();
    writing.write({ body: NOTE.body });
    expect(writing.snapshot.word).toBe("saved");
  });
});

describe("drafts of an earlier visit", () => {
  const left: Draft = { text: { ...NOTE, body: "left" }, base: NOTE, version: 3, at: "2026-02-01T11:00:00Z" };

  it("are offered, and saved once restored", async () => {
    const server = new Server(NOTE);
    const drafts = memory();
    drafts.keep("n1", left);
    const writing = new Writing(server, drafts, NOTE);
    expect(writing.snapshot).toMatchObject({ offer: left, text: { body: NOTE.body } });
    writing.restore();
    await wait();
    expect(server.note?.body).toBe("left");
    expect(drafts.kept.size).toBe(0);
  });

  it("are not offered when the server has them", () => {
    const drafts = memory();
    drafts.keep("n1", left);
    expect(new Writing(new Server(NOTE), drafts, { ...NOTE, body: "left" }).snapshot.offer).toBeNull();
    expect(drafts.kept.size).toBe(0);
  });

  it("survive a change of tags before anybody chose", async () => {
    const drafts = memory();
    drafts.keep("n1", left);
    const writing = new Writing(new Server(NOTE), drafts, NOTE);
    writing.write({ tags: ["x"] }, 0);
    await wait();
    expect(drafts.kept.get("n1")?.text.body).toBe("left");
    writing.discard();
    expect(drafts.kept.size).toBe(0);
  });

  it("of another tab stay when this one has saved, and are offered to the next", async () => {
    const kept = new Map<string, string>();
    const shelf = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
      key: (place: number) => [...kept.keys()][place] ?? null,
      get length() {
        return kept.size;
      },
    };
    const server = new Server(NOTE);
    const open = () => new Writing(server, draftsOf(server.manner, "ann", "baking", shelf), server.note);
    const [closed, other] = [open(), open()];
    closed.write({ body: "one\ntwo of a tab that was closed" });
    closed.stop();
    other.write({ body: "one of another\ntwo" });
    await wait();
    other.meet({ ...(server.note as Note), version: 5 });
    const next = open();
    expect(next.snapshot.offer?.text.body).toBe("one\ntwo of a tab that was closed");
    next.restore();
    expect(kept.size).toBe(1);
    await wait(PAUSE + 10);
    expect(server.note?.body).toBe("one of another\ntwo of a tab that was closed");
    expect(kept.size).toBe(0);
  });

  it("meet what others wrote since, with the base they were made from", async () => {
    const drafts = memory();
    drafts.keep("n1", left);
    const now = { ...NOTE, body: "theirs", version: 4 };
    const writing = new Writing(new Server(now), drafts, now);
    writing.restore();
    await wait();
    expect(writing.snapshot.conflict).toMatchObject({ base: { body: NOTE.body }, theirs: { body: "theirs" } });
    expect(writing.snapshot.text.body).toBe("left");
  });
});

describe("a conflict", () => {
  async function overtaken() {
    const all = opened();
    all.server.write({ body: "one\ntheirs" });
    all.writing.write({ body: "one\nmine" });
    await wait();
    return all;
  }

  it("stops for a person and keeps the draft", async () => {
    const { server, drafts, writing } = await overtaken();
    expect(writing.snapshot.word).toBe("conflict");
    await wait(60_000);
    expect(server.note?.body).toBe("one\ntheirs");
    expect(drafts.kept.get("n1")?.text.body).toBe("one\nmine");
  });

  it("ends with mine over theirs", async () => {
    const { server, writing } = await overtaken();
    writing.settle(writing.snapshot.text);
    await wait();
    expect(server.note).toMatchObject({ body: "one\nmine", version: 5 });
    expect(writing.snapshot.word).toBe("saved");
  });

  it("ends at once, though the editor tells what it was given", async () => {
    const { server, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    server.write({ body: "one\ntheirs" });
    writing.write({ body: "one\nmine" });
    await writing.flush();
    writing.settle({ title: NOTE.title, body: "one\nboth" });
    writing.write({ body: "one\nboth" });
    await wait(10);
    expect(server.note?.body).toBe("one\nboth");
  });

  it("ends with theirs", async () => {
    const { server, drafts, writing } = await overtaken();
    writing.takeTheirs();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 4, text: { body: "one\ntheirs" } });
    expect(server.changes).toEqual([]);
    expect(drafts.kept.size).toBe(0);
  });

  it("needs nobody when they changed something else", async () => {
    const { server, writing } = opened();
    server.write({ tags: ["theirs"], title: "Their title" });
    writing.write({ body: "mine" });
    await wait(PAUSE + 10);
    expect(server.note).toMatchObject({ title: "Their title", body: "mine", tags: ["theirs"] });
    expect(writing.snapshot).toMatchObject({ word: "saved", text: { title: "Their title" } });
  });

  it("with a note that is gone can become a note of its own", async () => {
    const { server, writing } = opened();
    server.note = null;
    writing.write({ body: "mine" });
    await wait();
    expect(writing.snapshot.word).toBe("refused");
    writing.startOver();
    await wait();
    expect(server.note).toMatchObject({ title: "Plan", body: "mine", version: 1 });
  });
});

describe("somebody else in the same note", () => {
  it("merges what they saved into what is unsaved, and saves both", async () => {
    const { server, writing } = opened();
    writing.write({ body: "one\ntwo more" });
    server.write({ body: "one!\ntwo" });
    writing.meet(server.note as Note);
    expect(writing.snapshot).toMatchObject({ word: "editing", version: 4, newer: null, text: { body: "one!\ntwo more" } });
    await wait();
    expect(server.note).toMatchObject({ version: 5, body: "one!\ntwo more" });
  });

  it("repeats a save whose answer was lost, and doesn't merge it with itself", async () => {
    const { server, writing } = opened();
    server.loseAnswer = true;
    writing.write({ body: "one\ntwo X" });
    await wait();
    expect(writing.snapshot.word).toBe("offline");
    writing.write({ body: "one\ntwo XY" });
    writing.meet(server.note as Note);
    await wait(10_000);
    expect(server.note).toMatchObject({ version: 5, body: "one\ntwo XY" });
    expect(writing.snapshot).toMatchObject({ word: "saved", text: { body: "one\ntwo XY" } });
  });

  it("asks for the lost answer after a reload, too", async () => {
    const { server, drafts, writing } = opened();
    server.loseAnswer = true;
    writing.write({ body: "one\ntwo X" });
    await wait();
    writing.write({ body: "one\ntwo XY" });
    writing.stop();
    const again = new Writing(server, drafts, server.note);
    again.restore();
    await wait();
    await wait();
    expect(server.note).toMatchObject({ version: 5, body: "one\ntwo XY" });
  });
});

describe("a change of access, which makes no version", () => {
  it("doesn't take the version of what someone else saved for that of its own text", async () => {
    const { server, writing } = opened();
    server.update = (_id, change, version) => server.share(change, version);
    server.write({ body: "one!\ntwo" });
    writing.write({ visibility: "team" }, 0);
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 4, text: { body: "one!\ntwo", visibility: "team" } });
  });

  it("is repeated as it was, and takes what others chose since", async () => {
    const { server, writing } = opened();
    const sent: NoteChange[] = [];
    server.update = async (_id, change, version) => {
      sent.push(change);
      if (sent.length > 1) return unlessOvertaken(server.note as Note, version);
      await server.share(change, version);
      throw new Refusal(0, {});
    };
    writing.write({ visibility: "team" }, 0);
    await wait();
    server.note = { ...NOTE, visibility: "shared" };
    writing.meet(server.note);
    await wait(2_000);
    expect(sent).toEqual([{ visibility: "team" }, { visibility: "team" }]);
    expect(writing.snapshot).toMatchObject({ word: "saved", text: { visibility: "shared" } });
  });

  it("has no version of its own when the server has lost its answer", async () => {
    const { server, writing } = opened();
    server.update = () => {
      server.share({ visibility: "team" }, 3).catch(() => undefined);
      return Promise.reject(new Refusal(409, { code: "conflict", key: "idempotency.no_response" }));
    };
    writing.write({ visibility: "team" }, 0);
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 3 });
    server.write({ body: "theirs" });
    writing.meet(server.note as Note);
    expect(writing.snapshot.text.body).toBe("theirs");
  });
});

describe("meeting the server's note", () => {
  it("takes a newer one, unless something is unsaved", () => {
    const { writing } = opened();
    writing.meet({ ...NOTE, body: "newer", version: 4 });
    expect(writing.snapshot).toMatchObject({ version: 4, text: { body: "newer" } });
    writing.write({ body: "mine" });
    writing.meet({ ...NOTE, body: "newest", version: 5 });
    expect(writing.snapshot.text.body).toBe("mine");
  });

  it("tells of a newer one while something is unsaved, until the choice", async () => {
    const { server, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    writing.write({ body: "mine" });
    server.write({ body: "theirs" });
    writing.meet({ ...NOTE, body: "theirs", version: 4 });
    expect(writing.snapshot).toMatchObject({ word: "editing", text: { body: "mine" }, newer: { version: 4 } });
    writing.keepEditing();
    expect(writing.snapshot).toMatchObject({ word: "editing", text: { body: "mine" }, newer: null });
    writing.meet({ ...NOTE, body: "theirs", version: 4 });
    expect(writing.snapshot.newer).toBeNull();
    writing.meet({ ...NOTE, body: "theirs again", version: 5 });
    expect(writing.snapshot.newer).toMatchObject({ version: 5 });
    await writing.flush();
    expect(writing.snapshot).toMatchObject({ word: "conflict", text: { body: "mine" } });
  });

  it("shows the newer one on reload, and keeps what was unsaved as a draft", async () => {
    const { server, drafts, writing } = opened(NOTE, { pause: 30_000, longest: 300_000 });
    writing.write({ body: "mine" });
    server.write({ body: "theirs" });
    writing.meet({ ...NOTE, body: "theirs", version: 4 });
    writing.reload();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 4, text: { body: "theirs" }, newer: null, offer: { text: { body: "mine" } } });
    expect(drafts.kept.get("n1")?.text.body).toBe("mine");
    await wait(400_000);
    expect(server.changes).toEqual([]);
    writing.restore();
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "conflict", text: { body: "mine" }, conflict: { theirs: { body: "theirs" } } });
  });

  it("doesn't take its own save for someone else's", async () => {
    const { server, writing } = opened();
    const told: boolean[] = [];
    writing.subscribe(() => told.push(writing.snapshot.newer !== null));
    const update = server.update.bind(server);
    server.update = async (...request) => {
      const kept = await update(...request);
      writing.meet(kept);
      return kept;
    };
    writing.write({ body: "mine" });
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 4, text: { body: "mine" } });
    expect(told).not.toContain(true);
  });

  it("takes what someone else saved just after its own save", async () => {
    const { server, writing } = opened();
    const update = server.update.bind(server);
    server.update = async (...request) => {
      const kept = await update(...request);
      writing.meet({ ...kept, body: "theirs", version: kept.version + 1 });
      return kept;
    };
    writing.write({ body: "mine" });
    await wait();
    expect(writing.snapshot).toMatchObject({ word: "saved", version: 5, text: { body: "theirs" } });
  });

  it("takes an access level that changed without a version, and no text", () => {
    const { writing } = opened();
    writing.write({ title: "Plan " });
    writing.meet({ ...NOTE, visibility: "team" });
    expect(writing.snapshot).toMatchObject({ word: "saved", text: { title: "Plan ", visibility: "team" } });
  });

  it("is not led astray by an older one", () => {
    const { writing } = opened();
    writing.meet({ ...NOTE, body: "older", version: 2 });
    expect(writing.snapshot.text.body).toBe(NOTE.body);
  });
});
