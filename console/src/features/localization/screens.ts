/** Screens of languages: their coverage, the texts of one, and what waits for review. */

import { IconLanguage } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const localizationScreens = [
  screen("/settings/instance/languages", {
    title: "localization.title",
    permission: "localization:read",
    nav: { group: "instance", icon: IconLanguage, keys: "g l" },
    load: () => import("./overview/LanguagesScreen"),
  }),
  screen("/settings/instance/languages/$locale", {
    title: "localization.texts",
    permission: "localization:read",
    load: () => import("./grid/TextsScreen"),
  }),
  screen("/settings/instance/languages/$locale/review", {
    title: "localization.review",
    permission: "localization:review",
    load: () => import("./review/ReviewScreen"),
  }),
] as const;
