import { IconHome } from "@tabler/icons-react";

import { screen } from "@/app/tables";

export const homeScreens = [
  screen("/", {
    title: "home.title",
    nav: { group: "work", icon: IconHome, keys: "g h" },
    load: () => import("./HomeScreen"),
  }),
] as const;
