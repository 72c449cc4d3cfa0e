/** Screen and action for the team's people. */

import { IconUserPlus, IconUsers } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { inviting } from "./inviting";

export const memberScreens = [
  screen("/settings/team/people", {
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
      go("/settings/team/people");
      inviting.open();
    },
  }),
] as const;
