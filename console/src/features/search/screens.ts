/** Search screen and shortcut. */

import { IconSearch } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

export const searchScreens = [
  screen("/search", {
    title: "search.title",
    permission: "search",
    nav: { group: "main", icon: IconSearch, bottomBar: true },
    load: () => import("./SearchScreen"),
  }),
] as const;

export const searchActions = [
  action("search.open", {
    title: "search.open",
    icon: IconSearch,
    keys: "/",
    permission: "search",
    perform: () => runCommand("search"),
  }),
] as const;
