/** Actions of the frame around all screens. */

import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarRight } from "@tabler/icons-react";

import { action } from "@/navigation/tables";
import { runCommand } from "@/ui/commands";

import { toggleRail } from "./shell/folding";

const ON_AN_ITEM = /\/(notes|documents|files|chat|workflows\/runs)\/(?!new$)[^/]+$/;

export const frameActions = [
  action("frame.inspect", { title: "inspector.toggle", icon: IconLayoutSidebarRight, keys: "i", on: ON_AN_ITEM, perform: () => runCommand("inspect") }),
  action("frame.fold", { title: "shell.fold", icon: IconLayoutSidebarLeftCollapse, keys: "[", perform: toggleRail }),
] as const;
