/** Screen and action for API tokens. */

import { IconKey } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { making } from "./making";

export const tokenScreens = [
  screen("/settings/team/tokens", {
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
      go("/settings/team/tokens");
      making.open();
    },
  }),
] as const;
