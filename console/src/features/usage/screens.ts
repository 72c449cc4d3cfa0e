/** The row of the team's usage. */

import { IconGauge } from "@tabler/icons-react";

import { screen } from "@/app/tables";

export const usageScreens = [
  screen("/usage", {
    title: "usage.title",
    nav: { group: "team", icon: IconGauge, keys: "g u" },
    load: () => import("./UsageScreen"),
  }),
] as const;
