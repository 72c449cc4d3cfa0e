/** Screen for the trash. */

import { IconTrash } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

// No permission needed: everyone can restore what they deleted.
export const trashScreens = [
  screen("/trash", { title: "trash.title", nav: { group: "foot", icon: IconTrash, keys: "g x" }, load: () => import("./TrashScreen") }),
] as const;
