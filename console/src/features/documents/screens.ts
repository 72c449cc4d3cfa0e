/** Screens and actions for documents. */

import { IconFileText, IconPencil, IconPlus, IconShare2, IconTrash } from "@tabler/icons-react";

import { action, screen, type Action } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

const HERE = /\/documents(\/|$)/;
const ELSEWHERE = /^(?!.*\/documents(\/|$))/;
const ON_A_DOCUMENT = /\/documents\/(?!new$)[^/]+$/;

// No permission needed: guests see what's shared with them, and others an empty list.
export const documentScreens = [
  screen("/documents", {
    title: "documents.title",
    nav: { group: "main", icon: IconFileText, keys: "g d" },
    load: () => import("./DocumentsScreen"),
  }),
  screen("/documents/$id", { title: "documents.title", load: () => import("./DocumentsScreen") }),
] as const;

const write: Omit<Action, "name"> = {
  title: "documents.new",
  icon: IconPlus,
  permission: "files:write",
  perform: (go) => go("/documents/new"),
};

/** On the documents screen, the shortcut for “create” makes a document. */
export const documentActions = [
  action("documents.new", { ...write, keys: "c", on: HERE }),
  action("documents.write", { ...write, on: ELSEWHERE }),
  action("documents.edit", { title: "documents.edit", icon: IconPencil, keys: "e", on: ON_A_DOCUMENT, perform: () => runCommand("edit") }),
  action("documents.share", { title: "documents.share", icon: IconShare2, keys: "s", on: ON_A_DOCUMENT, perform: () => runCommand("share") }),
  action("documents.delete", { title: "documents.delete", icon: IconTrash, on: ON_A_DOCUMENT, perform: () => runCommand("delete") }),
] as const;
