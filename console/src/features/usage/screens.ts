/** Screen and action for usage. */

import { IconGauge } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { trying } from "./trying";

export const usageScreens = [
  screen("/settings/team/usage", {
    title: "usage.title",
    nav: { group: "team", icon: IconGauge, keys: "g u" },
    load: () => import("./UsageScreen"),
  }),
] as const;

export const usageActions = [
  action("usage.try", {
    title: "usage.try",
    icon: IconGauge,
    permission: "chat:use",
    perform: (go) => {
      go("/settings/team/usage");
      trying.open();
    },
  }),
] as const;
