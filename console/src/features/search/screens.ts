/** Search in the tables: its key, and the screen of everything that was found. */

import { IconSearch } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";
import { wish } from "@/ui/wishes";

export const searchScreens = [screen("/search", { title: "search.title", permission: "search", load: () => import("./SearchScreen") })] as const;

export const searchActions = [
  action("search.open", {
    title: "search.open",
    icon: IconSearch,
    keys: "/",
    permission: "search",
    // Where no box is in sight, as on a phone, there is a screen of it.
    perform: (go) => {
      if (!wish("search")) go("/search");
    },
  }),
] as const;
