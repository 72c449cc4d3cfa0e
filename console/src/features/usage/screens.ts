/** The rows of the team's usage. */

import { IconGauge } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";

import { trying } from "./trying";

export const usageScreens = [
  screen("/usage", {
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
      go("/usage");
      trying.open();
    },
  }),
] as const;
