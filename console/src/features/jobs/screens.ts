/** Screens and actions for jobs. */

import { IconListCheck, IconMessageBolt } from "@tabler/icons-react";

import { action, screen, type Action } from "@/navigation/tables";

import { ASKING, making } from "./making";

const HERE = /\/jobs(\/|$)/;
const ELSEWHERE = /^(?!.*\/jobs(\/|$))/;

// No permission needed: users who can't start jobs see an empty list.
export const jobScreens = [
  screen("/settings/team/jobs", {
    title: "jobs.title",
    nav: { group: "team", icon: IconListCheck, keys: "g j" },
    load: () => import("./JobsScreen"),
  }),
  screen("/settings/team/jobs/$id", { title: "jobs.title", load: () => import("./JobsScreen") }),
] as const;

const tryModel: Omit<Action, "name"> = {
  title: "jobs.new",
  icon: IconMessageBolt,
  ...ASKING,
  perform: (go) => {
    go("/settings/team/jobs");
    making.open();
  },
};

/** On the jobs screen, the shortcut for “create” asks a model. */
export const jobActions = [
  action("jobs.new", { ...tryModel, keys: "c", on: HERE, perform: making.open }),
  action("jobs.try", { ...tryModel, on: ELSEWHERE }),
] as const;
