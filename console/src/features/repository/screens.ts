/** Screens and actions for files. */

import { IconChevronLeft, IconChevronRight, IconFolderPlus, IconFolders, IconShare2, IconTrash, IconUpload } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

const AMONG_FILES = /\/files$/;
const ON_A_FILE = /\/files\/[^/]+$/;

// No permission needed: guests see what's shared with them, and others an empty list.
export const fileScreens = [
  screen("/files", {
    title: "files.title",
    nav: { group: "main", icon: IconFolders, keys: "g f", bottomBar: true },
    load: () => import("./FilesScreen"),
  }),
  screen("/files/$id", { title: "files.title", load: () => import("./object/ObjectScreen") }),
] as const;

export const fileActions = [
  action("files.upload", {
    title: "files.upload.files", icon: IconUpload, keys: "c", permission: "files:write", on: AMONG_FILES, perform: () => runCommand("create"),
  }),
  action("files.folder", {
    title: "files.folder.new", icon: IconFolderPlus, keys: "N", permission: "files:write", on: AMONG_FILES, perform: () => runCommand("folder"),
  }),
  action("files.share", { title: "files.share", icon: IconShare2, keys: "s", on: ON_A_FILE, perform: () => runCommand("share") }),
  action("files.next", { title: "files.next", icon: IconChevronRight, keys: "j", on: ON_A_FILE, perform: () => runCommand("next") }),
  action("files.previous", { title: "files.previous", icon: IconChevronLeft, keys: "k", on: ON_A_FILE, perform: () => runCommand("previous") }),
  action("files.delete", { title: "files.delete", icon: IconTrash, on: ON_A_FILE, perform: () => runCommand("delete") }),
] as const;
