import { expect, test } from "vitest";

import { arrange, CARD, depthsOf } from "./arrange";
import { agesOf, follow, type Provenance } from "./provenance";
import type { Relative, Relatives } from "./shapes";

const relative = (id: string, more: Partial<Relative> = {}): Relative => ({
  id, key: `inbox/${id}`, filename: id, version: 1, source_version: 1, current_source_version: 1, stale: false, edited: false,
  run_id: "run", step: "extract", created_at: "2026-11-17T00:00:00Z", changed_sources: [], ...more,
} as Relative); // prettier-ignore

/** The files that each is made from. */
const SOURCES: Record<string, string[]> = {
  "invoice.pdf": [],
  "template.md": [],
  "fields.json": ["invoice.pdf"],
  "form.md": ["fields.json", "template.md"],
  "form.de.md": ["form.md"],
};

async function relativesOf(id: string): Promise<Relatives> {
  return {
    sources: (SOURCES[id] ?? []).map((source) => relative(source)),
    derived: Object.entries(SOURCES).flatMap(([name, sources]) => (sources.includes(id) ? [relative(name)] : [])),
  };
}

const subject = { id: "invoice.pdf", key: "inbox/invoice.pdf", filename: "invoice.pdf", version: 1 };

async function found(): Promise<Provenance> {
  return follow(subject, await relativesOf(subject.id), relativesOf);
}

test("files are followed from source to derived, and each derivation is there once", async () => {
  const { files, derivations, isCut } = await found();
  expect(files.map(({ name }) => name).sort()).toEqual(Object.keys(SOURCES).sort());
  expect(derivations.map(({ from, to }) => `${from.name} > ${to.name}`).sort()).toEqual([
    "fields.json > form.md", "form.md > form.de.md", "invoice.pdf > fields.json", "template.md > form.md",
  ]); // prettier-ignore
  expect(isCut).toBe(false);
});

test("a file whose relatives can't be read is there", async () => {
  const { files } = await follow(subject, await relativesOf(subject.id), () => Promise.reject(new Error("refused")));
  expect(files.map(({ name }) => name)).toEqual(["invoice.pdf", "fields.json"]);
});

test("of several derivations the newest counts", async () => {
  const derived = [relative("fields.json", { version: 1, stale: true }), relative("fields.json", { version: 2 })];
  const { derivations } = await follow(subject, { sources: [], derived }, () => Promise.resolve({ sources: [], derived: [] }));
  expect(derivations.map((one) => [one.relative.version, one.relative.stale])).toEqual([[2, false]]);
});

test("no more than a dozen files are followed, and the picture says so", async () => {
  const derived = Array.from({ length: 30 }, (_, place) => relative(`copy ${place}`));
  let asked = 0;
  const fetchOne = (): Promise<Relatives> => {
    asked += 1;
    return Promise.resolve({ sources: [], derived: [] });
  };
  const { isCut } = await follow(subject, { sources: [], derived }, fetchOne);
  expect([asked, isCut]).toEqual([12, true]);
});

test("every file is drawn behind all of its sources", async () => {
  const provenance = await found();
  const depths = depthsOf(provenance);
  expect(Object.fromEntries(depths)).toEqual({ "invoice.pdf": 0, "template.md": 0, "fields.json": 1, "form.md": 2, "form.de.md": 3 });
  const { cards, height, isNarrow } = arrange(provenance, 900);
  expect(isNarrow).toBe(false);
  for (const { from, to } of provenance.derivations) {
    const [source, derived] = [from, to].map(({ id }) => cards.find(({ file }) => file.id === id));
    expect((source?.x ?? 0) + (source?.width ?? 0)).toBeLessThan(derived?.x ?? 0);
  }
  for (const { x, y, width } of cards) {
    expect(x + width).toBeLessThanOrEqual(900);
    expect(y + CARD).toBeLessThanOrEqual(height);
  }
});

test("on a phone they are one below the other, derived files after their sources", async () => {
  const provenance = await found();
  const { cards, isNarrow } = arrange(provenance, 358);
  expect(isNarrow).toBe(true);
  const order = cards.map(({ file }) => file.name);
  for (const { from, to } of provenance.derivations) expect(order.indexOf(from.name)).toBeLessThan(order.indexOf(to.name));
  expect(new Set(cards.map(({ y }) => y)).size).toBe(cards.length);
});

test("a circle doesn't hang", () => {
  const [one, other] = [{ id: "1", name: "1" }, { id: "2", name: "2" }];
  const derivations = [{ from: one, to: other, relative: relative("2") }, { from: other, to: one, relative: relative("1") }];
  expect(depthsOf({ files: [one, other], derivations }).size).toBe(2);
});

test("what is made from a file that is out of date will change, too", async () => {
  const { files, derivations } = await found();
  const invoice = files.find(({ name }) => name === "invoice.pdf")!;
  const changed = [{ id: invoice.id, key: "inbox/invoice.pdf", source_version: 1, current_source_version: 2 }];
  const aged = derivations.map((one) => ({ ...one, relative: { ...one.relative, stale: true, changed_sources: changed } }));
  const old = { ...aged[0]!, to: files.find(({ name }) => name === "template.md")!, relative: relative("template.md", { stale: true, version: 0 }) };
  expect(Object.fromEntries(agesOf({ files, derivations: aged }))).toEqual({
    "invoice.pdf": "current", "template.md": "current", "fields.json": "stale", "form.md": "source", "form.de.md": "source",
  }); // prettier-ignore
  const newer = { ...old, relative: relative("template.md", { version: 1 }) };
  expect(agesOf({ files, derivations: [old, newer] }).get("template.md")).toBe("current");
});
