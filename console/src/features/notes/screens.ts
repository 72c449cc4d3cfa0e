/** Notes in the tables: where they are, and what can be done with them from anywhere. */

import { IconNotes, IconPencil, IconPlus, IconShare2, IconTrash } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";
import { wish } from "@/ui/wishes";

const ON_A_NOTE = /\/notes\/(?!new$)[^/]+$/;

// No permission stands here: a guest reads what was shared with them, and whoever has nothing sees an empty list.
export const noteScreens = [
  screen("/notes", {
    title: "notes.title",
    nav: { group: "work", icon: IconNotes, keys: "g n" },
    load: () => import("./NotesScreen"),
  }),
  screen("/notes/$id", { title: "notes.title", load: () => import("./NotesScreen") }),
] as const;

export const noteActions = [
  action("notes.new", {
    title: "notes.new", icon: IconPlus, keys: "c", permission: "notes:write", perform: (go) => go("/notes/new"),
  }),
  action("notes.edit", { title: "notes.edit", icon: IconPencil, keys: "e", on: ON_A_NOTE, perform: () => wish("edit") }),
  action("notes.share", { title: "notes.share", icon: IconShare2, keys: "s", on: ON_A_NOTE, perform: () => wish("share") }),
  action("notes.delete", { title: "notes.delete", icon: IconTrash, on: ON_A_NOTE, perform: () => wish("delete") }),
] as const;
