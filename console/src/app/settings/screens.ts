/** The row of the settings area itself; its screens are rows of their features. */

import { IconSettings } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const settingsScreens = [
  screen("/settings", {
    title: "settings.title",
    nav: { group: "foot", icon: IconSettings, keys: "g s" },
    load: () => import("./SettingsIndex"),
  }),
] as const;
