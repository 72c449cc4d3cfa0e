/** Files in the tables: where they are, and what can be done with them by key. */

import { IconFolders, IconShare2, IconTrash, IconUpload } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";
import { wish } from "@/ui/wishes";

const AMONG_FILES = /\/files$/;
const ON_A_FILE = /\/files\/[^/]+$/;

// No permission stands here: a guest reads what was shared with them, and whoever has nothing sees an empty list.
export const fileScreens = [
  screen("/files", {
    title: "files.title",
    nav: { group: "work", icon: IconFolders, keys: "g f" },
    load: () => import("./FilesScreen"),
  }),
  screen("/files/$id", { title: "files.title", load: () => import("./object/ObjectScreen") }),
] as const;

export const fileActions = [
  action("files.upload", {
    title: "files.upload.files", icon: IconUpload, keys: "c", permission: "files:write", on: AMONG_FILES, perform: () => wish("create"),
  }),
  action("files.share", { title: "files.share", icon: IconShare2, keys: "s", on: ON_A_FILE, perform: () => wish("share") }),
  action("files.delete", { title: "files.delete", icon: IconTrash, on: ON_A_FILE, perform: () => wish("delete") }),
] as const;
