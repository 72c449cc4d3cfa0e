/** Screens and actions for chat. */

import { IconMessageCircle, IconPencil, IconPlus, IconShare2, IconTrash } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

const ON_CHAT = /\/chat(\/|$)/;
const ON_A_CONVERSATION = /\/chat\/(?!new$)[^/]+$/;

// A conversation can be read without the permission to ask: by those it is shared with.
export const chatScreens = [
  screen("/chat", {
    title: "chat.title",
    permission: "chat:use",
    feature: "chat",
    nav: { group: "main", icon: IconMessageCircle, keys: "g c", bottomBar: true },
    load: () => import("./ChatScreen"),
  }),
  screen("/chat/$id", { title: "chat.title", load: () => import("./ChatScreen") }),
] as const;

export const chatActions = [
  action("chat.new", {
    title: "chat.new", icon: IconPlus, keys: "c", on: ON_CHAT, permission: "chat:use", feature: "chat", perform: (go) => go("/chat/new"),
  }),
  action("chat.start", { title: "chat.new", icon: IconPlus, permission: "chat:use", feature: "chat", when: () => !ON_CHAT.test(location.pathname), perform: (go) => go("/chat/new") }),
  action("chat.rename", { title: "chat.rename", icon: IconPencil, keys: "e", on: ON_A_CONVERSATION, perform: () => runCommand("edit") }),
  action("chat.share", { title: "chat.share", icon: IconShare2, keys: "s", on: ON_A_CONVERSATION, perform: () => runCommand("share") }),
  action("chat.delete", { title: "chat.delete", icon: IconTrash, on: ON_A_CONVERSATION, perform: () => runCommand("delete") }),
] as const;
