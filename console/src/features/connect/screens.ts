/** Screen and action for S3 keys. */

import { IconPlugConnected } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { making } from "./making";

// No permission needed: a key can do what its owner can.
export const connectScreens = [
  screen("/settings/team/connect", {
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
      go("/settings/team/connect");
      making.open();
    },
  }),
] as const;
