/** Screen for the models that answer for the team. */

import { IconBrain } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

// No permission needed: everyone can see which model answers.
export const modelScreens = [
  screen("/settings/team/models", {
    title: "models.title",
    nav: { group: "team", icon: IconBrain },
    load: () => import("./ModelsScreen"),
  }),
] as const;
