/** Which screens show a message. */

import { expect, test } from "vitest";

import { keysIn, shownMessages } from "./shown.js";

const KEYS = ["notes.title", "role.admin", "role.guest", "files.none.read", "files.none.write"];

test("a source names keys, whole or with a value in them", () => {
  expect(keysIn('t("notes.title"); t("notes.other")', KEYS)).toEqual(["notes.title"]);
  expect(keysIn("t(`role.${name}`)", KEYS)).toEqual(["role.admin", "role.guest"]);
  expect(keysIn('t(`files.none.${may ? "write" : "read"}`)', KEYS)).toEqual(["files.none.read", "files.none.write"]);
});

test("every message is on some screen", () => {
  const shown = shownMessages(import.meta.dirname);
  expect(shown["glossary.add.title"]).toEqual(["/settings/team/glossary"]);
  expect(shown["action.cancel"]).toEqual(["*"]);
  expect(shown["entrance.code"]).toEqual(["entrance"]);
  expect(shown["localization.queue"]).toEqual(["/settings/instance/languages/$locale/review"]);
});
