/** Screen for translations. */

import { IconLanguage } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const translateScreens = [
  screen("/translate", {
    title: "translate.title",
    permission: "chat:use",
    feature: "translate",
    nav: { group: "main", icon: IconLanguage, keys: "g t" },
    load: () => import("./TranslateScreen"),
  }),
] as const;
