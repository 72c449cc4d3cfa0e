/** Activity in words. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { addressOf, isKnown, wordsOf, type ActivityItem } from "./activity";

beforeAll(() => speak("en", flat(english)));

const item: ActivityItem = { kind: "note", id: "n", title: "Minutes", verb: "edited", actor: "b", times: 1, at: "2026-11-17T12:00:00.000Z", state: null };

test("who did what, and how often", () => {
  expect(wordsOf(item, "Bob")).toBe("Edited by Bob");
  expect(wordsOf({ ...item, times: 4 }, "Bob")).toBe("Edited 4 times by Bob");
  expect(wordsOf({ ...item, verb: "created" }, "Bob")).toBe("Created by Bob");
  expect(wordsOf({ ...item, verb: "created", kind: "file" }, "Bob")).toBe("Uploaded by Bob");
  expect(wordsOf({ ...item, kind: "file", times: 2 }, "Bob")).toBe("Updated 2 times by Bob");
  expect(wordsOf({ ...item, verb: "shared" }, "Bob")).toBe("Shared by Bob");
  expect(wordsOf({ ...item, verb: "ran", kind: "run", state: "succeeded" }, "Bob")).toBe("Run by Bob, finished");
  expect(wordsOf({ ...item, verb: "ran", kind: "run", state: "failed" }, "Bob")).toBe("Run by Bob, failed");
});

test("where it leads", () => {
  expect(addressOf(item)).toBe("/notes/n");
  expect(addressOf({ ...item, kind: "run" })).toBe("/workflows/runs/n");
  expect(isKnown({ ...item, kind: "planet" })).toBe(false);
});
