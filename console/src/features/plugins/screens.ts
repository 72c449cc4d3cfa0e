/** Screens for what was added to the server, and the pages that plugins bring. */

import { IconPlug, IconPuzzle, IconShieldLock } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

// No permission needed: everyone can see what there is. Reasons and switches are for operators.
export const pluginScreens = [
  screen("/settings/instance/plugins", {
    title: "plugins.title",
    nav: { group: "instance", icon: IconPuzzle },
    load: () => import("./list/PluginsScreen"),
  }),
  screen("/settings/instance/plugins/$id", {
    title: "plugins.title",
    load: () => import("./list/PluginScreen"),
  }),
  screen("/settings/instance/sandboxed", {
    title: "sandboxed.title",
    nav: { group: "instance", icon: IconShieldLock },
    load: () => import("./sandboxed/SandboxedScreen"),
  }),
  screen("/settings/instance/mcp", {
    title: "mcp.title",
    nav: { group: "instance", icon: IconPlug },
    load: () => import("./mcp/McpScreen"),
  }),
  screen("/plugins/$id", {
    title: "plugins.page",
    load: () => import("./page/PluginPageScreen"),
  }),
] as const;
