import { expect, test } from "vitest";

import type { Message, Review, Status } from "../api";
import { currentText, isApprovable } from "./text";

const message = (status: Status, review: Review | null = null, own = false): Message => ({
  id: "m1", locale: "de", namespace: "notes", key: "title", source: "Notes", status, text: status === "missing" ? null : "Notizen", origin: null, written_source: null, review,
  proposal: review && { text: "Merkzettel", author: "u1", author_name: "Ann", submitted_at: "2026-11-17T09:00:00Z", note: null, own },
  approved_by: null, approved_at: null, updated_at: "2026-11-17T09:00:00Z", arguments: [], plural_categories: ["one", "other"], warnings: [],
});

test("a proposal is shown before what is live", () => {
  expect([message("missing"), message("approved"), message("approved", "submitted")].map(currentText)).toEqual(["", "Notizen", "Merkzettel"]);
});

test("only what waits can be approved, and never one's own words", () => {
  const waiting = [message("machine"), message("stale"), message("missing", "submitted")];
  const not = [message("missing"), message("approved"), message("missing", "submitted", true), message("machine", "returned")];
  expect(waiting.map(isApprovable)).toEqual([true, true, true]);
  expect(not.map(isApprovable)).toEqual([false, false, false, false]);
});
