import { IconHome } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const homeScreens = [
  screen("/", {
    title: "home.title",
    nav: { group: "main", icon: IconHome, keys: "g h" },
    load: () => import("./HomeScreen"),
  }),
] as const;
