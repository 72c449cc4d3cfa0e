/** Documents in the tables: where they are, and what can be done with them from anywhere. */

import { IconFileText, IconPencil, IconPlus, IconShare2, IconTrash } from "@tabler/icons-react";

import { action, screen, type Action } from "@/app/tables";
import { wish } from "@/ui/wishes";

const HERE = /\/documents(\/|$)/;
const ELSEWHERE = /^(?!.*\/documents(\/|$))/;
const ON_A_DOCUMENT = /\/documents\/(?!new$)[^/]+$/;

// No permission stands here: a guest reads what was shared with them, and whoever has nothing sees an empty list.
export const documentScreens = [
  screen("/documents", {
    title: "documents.title",
    nav: { group: "work", icon: IconFileText, keys: "g d" },
    load: () => import("./DocumentsScreen"),
  }),
  screen("/documents/$id", { title: "documents.title", load: () => import("./DocumentsScreen") }),
  screen("/documents/$id/versions", { title: "documents.title", load: () => import("./versions/VersionsScreen") }),
] as const;

const write: Omit<Action, "name"> = {
  title: "documents.new",
  icon: IconPlus,
  permission: "files:write",
  perform: (go) => go("/documents/new"),
};

/** Among documents it has the key of whatever is made there. */
export const documentActions = [
  action("documents.new", { ...write, keys: "c", on: HERE }),
  action("documents.write", { ...write, on: ELSEWHERE }),
  action("documents.edit", { title: "documents.edit", icon: IconPencil, keys: "e", on: ON_A_DOCUMENT, perform: () => wish("edit") }),
  action("documents.share", { title: "documents.share", icon: IconShare2, keys: "s", on: ON_A_DOCUMENT, perform: () => wish("share") }),
  action("documents.delete", { title: "documents.delete", icon: IconTrash, on: ON_A_DOCUMENT, perform: () => wish("delete") }),
] as const;
