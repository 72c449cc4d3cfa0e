/** Screens and actions for notes. */

import { IconNotes, IconPencil, IconPlus, IconShare2, IconTrash } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

const ON_A_NOTE = /\/notes\/(?!new$)[^/]+$/;

// No permission needed: guests see what's shared with them, and others an empty list.
export const noteScreens = [
  screen("/notes", {
    title: "notes.title",
    nav: { group: "main", icon: IconNotes, keys: "g n", bottomBar: true },
    load: () => import("./NotesScreen"),
  }),
  screen("/notes/$id", { title: "notes.title", load: () => import("./NotesScreen") }),
] as const;

export const noteActions = [
  action("notes.new", {
    title: "notes.new", icon: IconPlus, keys: "c", permission: "notes:write", perform: (go) => go("/notes/new"),
  }),
  action("notes.edit", { title: "notes.edit", icon: IconPencil, keys: "e", on: ON_A_NOTE, perform: () => runCommand("edit") }),
  action("notes.share", { title: "notes.share", icon: IconShare2, keys: "s", on: ON_A_NOTE, perform: () => runCommand("share") }),
  action("notes.delete", { title: "notes.delete", icon: IconTrash, on: ON_A_NOTE, perform: () => runCommand("delete") }),
] as const;
