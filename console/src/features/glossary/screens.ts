/** Screen for the team's glossary. */

import { IconVocabulary } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const glossaryScreens = [
  screen("/settings/team/glossary", {
    title: "glossary.title",
    permission: "chat:use",
    nav: { group: "team", icon: IconVocabulary },
    load: () => import("./GlossaryScreen"),
  }),
] as const;
