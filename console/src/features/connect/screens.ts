/** The row of what connects other programs with the team's files. */

import { IconPlugConnected } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";

import { making } from "./making";

// No permission stands here: a key does what its maker may, and everybody may do something.
export const connectScreens = [
  screen("/connect", {
    title: "connect.title",
    nav: { group: "team", icon: IconPlugConnected, keys: "g k" },
    load: () => import("./ConnectScreen"),
  }),
] as const;

export const connectActions = [
  action("connect.new", {
    title: "connect.new.named",
    icon: IconPlugConnected,
    perform: (go) => {
      go("/connect");
      making.open();
    },
  }),
] as const;
