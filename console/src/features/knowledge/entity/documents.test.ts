import { expect, test } from "vitest";

import type { EntityDocument, Mention } from "../api";
import { documentsOf, sameNames, spansOf } from "./documents";

const document = (id: string, at: string, mentions: number): EntityDocument => ({
  object_id: id, key: `plans/${id}.txt`, filename: `${id}.txt`, title: `${id}.txt`, content_type: "text/plain", version: 1, outdated: false, mentions, at,
}); // prettier-ignore

const mention = (id: string, object: string, start: number, written = "Priya"): Mention => ({
  id, object_id: object, version: 1, start, end: start + 5, written, quote: `${written} is here.`,
}); // prettier-ignore

const ENTITY = {
  timeline: [document("middle", "2026-02-01T00:00:00Z", 1), document("new", "2026-03-01T00:00:00Z", 1), document("old", "2026-01-02T00:00:00Z", 3)],
  mentions: [mention("1", "old", 40), mention("2", "new", 0), mention("3", "old", 3, "P. Raman"), mention("4", "old", 20, "PRIYA"), mention("5", "middle", 0)],
};

test("documents are newest first, and their mentions in the order of the text", () => {
  const documents = documentsOf(ENTITY);
  expect(documents.map(({ title }) => title)).toEqual(["new.txt", "middle.txt", "old.txt"]);
  expect(documents[2]?.quotes.map(({ id }) => id)).toEqual(["3", "4", "1"]);
});

test("mentions of the same name in a document go together", () => {
  const names = sameNames(documentsOf(ENTITY));
  expect(names.map(({ written, document: { object_id }, quotes }) => [written, object_id, quotes.length])).toEqual([
    ["Priya", "new", 1], ["Priya", "middle", 1], ["P. Raman", "old", 1], ["PRIYA", "old", 2],
  ]); // prettier-ignore
});

test("time is divided equally, and every document is in exactly one span", () => {
  const spans = spansOf(documentsOf(ENTITY));
  expect(spans.map(({ mentions }) => mentions)).toEqual([3, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect(spans.flatMap(({ documents }) => documents.map(({ object_id }) => object_id)).sort()).toEqual(["middle", "new", "old"]);
});

test("nothing is drawn of one moment", () => {
  expect(spansOf([])).toEqual([]);
  expect(spansOf(documentsOf({ timeline: [document("one", "2026-01-01T00:00:00Z", 4)], mentions: [] }))).toEqual([]);
});
