/** The rows of the team's people. */

import { IconUserPlus, IconUsers } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";

import { inviting } from "./inviting";

export const memberScreens = [
  screen("/members", {
    title: "members.title",
    nav: { group: "team", icon: IconUsers, keys: "g p" },
    load: () => import("./MembersScreen"),
  }),
] as const;

export const memberActions = [
  action("members.invite", {
    title: "members.invite",
    icon: IconUserPlus,
    permission: "members:manage",
    perform: (go) => {
      go("/members");
      inviting.open();
    },
  }),
] as const;
