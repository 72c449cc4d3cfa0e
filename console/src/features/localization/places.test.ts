import { expect, test } from "vitest";
import table from "virtual:shown";

import type { Screen } from "@/navigation/tables";

import { placesOf, viewsOf, type ShownTable } from "./places";

const screen = (path: string, title: string) => ({ path, title }) as unknown as Screen;
const SCREENS = [screen("/notes", "notes.title"), screen("/notes/$id", "notes.title"), screen("/runs/$id", "runs.title"), screen("/settings/team/glossary", "glossary.title")];
const TABLE: ShownTable = [
  [["/notes", "/notes/$id"], { notes: ["new", "none"] }],
  [["/runs/$id"], { runs: ["state"] }],
  [["*"], { action: ["cancel"] }],
  [["entrance"], { entrance: ["code"] }],
];

const found = (namespace: string, key: string) => placesOf({ namespace, key }, TABLE, SCREENS);

test("a text is on the screens whose sources name it, each title once", () => {
  expect(found("notes", "new")).toEqual([{ screen: SCREENS[0], address: "/notes" }]);
});

test("a screen of one thing leads to its list, if there is one", () => {
  expect(found("runs", "state")).toEqual([{ screen: SCREENS[2], address: undefined }]);
});

test("what is on no screen of its own says where it is", () => {
  expect([found("action", "cancel"), found("entrance", "code"), found("refusals", "rights.needs"), found("notes", "gone")]).toEqual(["everywhere", "entrance", "refusals", "unknown"]);
});

test("a screen that has an address can be shown in a frame, once", () => {
  expect(viewsOf(found("notes", "new"))).toEqual([{ address: "/notes", title: "notes.title", entrance: false }]);
  expect(viewsOf([{ screen: screen("/notes", "notes.title"), address: "/notes" }, { screen: screen("/notes/$id", "notes.one"), address: "/notes" }])).toHaveLength(1);
  expect([viewsOf(found("runs", "state")), viewsOf("refusals"), viewsOf("unknown")]).toEqual([[], [], []]);
  expect([viewsOf("everywhere"), viewsOf("entrance")].map(([view]) => [view?.address, view?.entrance])).toEqual([["/", false], ["/", true]]);
});

test("the table is read from the sources", () => {
  expect(placesOf({ namespace: "glossary", key: "add.title" }, table, SCREENS)).toEqual([{ screen: SCREENS[3], address: "/settings/team/glossary" }]);
  expect(placesOf({ namespace: "action", key: "cancel" }, table, SCREENS)).toBe("everywhere");
});
