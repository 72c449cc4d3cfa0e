/** The row of the team's features. */

import { IconToggleRight } from "@tabler/icons-react";

import { screen } from "@/app/tables";

export const featureScreens = [
  screen("/settings", {
    title: "features.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconToggleRight },
    load: () => import("./FeaturesScreen"),
  }),
] as const;
