/** Screen for the team's tools. */

import { IconTool } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

// No permission needed: everyone can see which tools are on.
export const toolScreens = [
  screen("/settings/team/tools", {
    title: "tools.title",
    nav: { group: "team", icon: IconTool },
    load: () => import("./ToolsScreen"),
  }),
] as const;
