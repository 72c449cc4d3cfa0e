/** Screens of the sign-up funnel: who wants to join. */

import { IconUserPlus } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const signUpScreens = [
  screen("/settings/company/sign-up", {
    title: "prospects.title",
    permission: "settings:manage",
    nav: { group: "company", icon: IconUserPlus },
    load: () => import("./prospects/ProspectsScreen"),
  }),
] as const;
