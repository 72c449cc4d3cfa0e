/** Screens and actions for workflows, their runs, and the triggers that start them. */

import { IconPlus, IconSitemap, IconUpload } from "@tabler/icons-react";

import { action, screen, type Action, type Needs } from "@/navigation/tables";

import { addingTrigger } from "./triggers/adding";

const READ = { permission: "workflows:read", feature: "workflows" } as const satisfies Needs;
const WRITE = { permission: "workflows:write", feature: "workflows" } as const satisfies Needs;
const RUN = { permission: "workflows:run", feature: "workflows" } as const satisfies Needs;

const TRIGGERS_HERE = /\/workflows\/triggers(\/|$)/;
const HERE = /\/workflows(\/spec\/[^/]+|\/runs(\/.*)?)?\/?$/;
const ELSEWHERE = /^(?!.*\/workflows(\/(spec\/[^/]+|runs(\/.*)?))?\/?$)/;

export const workflowScreens = [
  screen("/workflows", {
    title: "workflows.title",
    ...READ,
    nav: { group: "main", icon: IconSitemap, keys: "g w" },
    load: () => import("./list/WorkflowsScreen"),
  }),
  screen("/workflows/new", { title: "workflows.new", ...WRITE, load: () => import("./editor/NewScreen") }),
  screen("/workflows/spec/$slug", { title: "workflows.title", ...READ, load: () => import("./one/WorkflowScreen") }),
  screen("/workflows/spec/$slug/edit", { title: "workflows.title", ...WRITE, load: () => import("./editor/EditScreen") }),
  screen("/workflows/spec/$slug/run", { title: "workflows.title", ...RUN, load: () => import("./start/StartScreen") }),
  screen("/workflows/runs", { title: "workflows.runs", ...READ, load: () => import("./runs/RunsScreen") }),
  screen("/workflows/runs/$id", { title: "workflows.runs", ...READ, load: () => import("./run/RunScreen") }),
  screen("/workflows/triggers", { title: "workflows.triggers", ...READ, load: () => import("./triggers/TriggersScreen") }),
  screen("/workflows/triggers/$id", { title: "workflows.triggers", ...READ, load: () => import("./triggers/TriggerScreen") }),
] as const;

const write: Omit<Action, "name"> = { title: "workflows.new", icon: IconPlus, ...WRITE, perform: (go) => go("/workflows/new") };

/** On these screens, the shortcut for “create” makes what they list. */
export const workflowActions = [
  action("workflows.new", { ...write, keys: "c", on: HERE }),
  action("workflows.write", { ...write, on: ELSEWHERE }),
  action("workflows.trigger", {
    title: "workflows.trigger.new",
    icon: IconUpload,
    keys: "c",
    on: TRIGGERS_HERE,
    ...WRITE,
    perform: (go) => {
      go("/workflows/triggers");
      addingTrigger.open();
    },
  }),
] as const;
