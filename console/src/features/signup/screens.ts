/** Screens of the sign-up funnel: who wants to join, and the page where they ask. */

import { IconUserPlus } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const signUpScreens = [
  screen("/settings/company/sign-up", {
    title: "prospects.title",
    permission: "settings:manage",
    nav: { group: "company", icon: IconUserPlus },
    load: () => import("./prospects/ProspectsScreen"),
  }),
  screen("/settings/company/sign-up/page", {
    title: "funnel.title",
    permission: "settings:manage",
    load: () => import("./editor/EditorScreen"),
  }),
] as const;
