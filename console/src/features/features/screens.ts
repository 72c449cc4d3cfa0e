/** Screen for the team's features. */

import { IconToggleRight } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const featureScreens = [
  screen("/settings/team/features", {
    title: "features.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconToggleRight },
    load: () => import("./FeaturesScreen"),
  }),
] as const;
