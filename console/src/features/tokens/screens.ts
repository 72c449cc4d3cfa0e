/** The rows of the team's API tokens. */

import { IconKey } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";

import { making } from "./making";

export const tokenScreens = [
  screen("/tokens", {
    title: "tokens.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconKey },
    load: () => import("./TokensScreen"),
  }),
] as const;

export const tokenActions = [
  action("tokens.new", {
    title: "tokens.new",
    icon: IconKey,
    permission: "settings:manage",
    perform: (go) => {
      go("/tokens");
      making.open();
    },
  }),
] as const;
