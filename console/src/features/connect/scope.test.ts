/** Scopes of keys, chosen and in words. */

import { beforeAll, expect, test } from "vitest";

import english from "../../../../teamspace/catalogs/en.json";
import { flat, speak } from "@/i18n";

import { reachesOf, scopeOf, wordsOf } from "./scope";

beforeAll(() => speak("en", flat(english)));

test("everything is no scope at all, whatever was typed before", () => {
  expect(scopeOf({ reach: "all", folder: "reports", starts: true })).toBeNull();
});

test("a folder limits every permission, however its slashes were typed", () => {
  for (const folder of ["reports", "/reports/", " reports/ "]) {
    expect(scopeOf({ reach: "read", folder, starts: false })).toEqual(["files:read:reports/"]);
  }
  expect(scopeOf({ reach: "write", folder: "in/box", starts: true })).toEqual([
    "files:read:in/box/",
    "files:write:in/box/",
    "workflows:run:in/box/",
  ]);
});

test("a key that uploads nothing starts nothing", () => {
  expect(scopeOf({ reach: "read", folder: "", starts: true })).toEqual(["files:read"]);
});

test("only what one has is there to give", () => {
  expect(reachesOf(() => false)).toEqual(["all"]);
  expect(reachesOf((permission) => permission === "files:read")).toEqual(["all", "read"]);
});

test("a scope is told folder by folder, and other permissions by their name", () => {
  expect(wordsOf(null)).toEqual(["all your permissions"]);
  expect(wordsOf(["files:read", "files:write"])).toEqual(["read and write"]);
  expect(wordsOf(["files:read:a/", "files:write:b/", "workflows:run:b/"])).toEqual([
    "read in a/",
    "write and start workflows in b/",
  ]);
  expect(wordsOf(["notes:read"])).toEqual(["View notes"]);
});
