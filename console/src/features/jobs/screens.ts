/** Jobs in the tables: where they are, and how one is asked for. */

import { IconListCheck, IconMessageBolt } from "@tabler/icons-react";

import { action, screen, type Action } from "@/app/tables";

import { ASKING, making } from "./making";

const HERE = /\/jobs(\/|$)/;
const ELSEWHERE = /^(?!.*\/jobs(\/|$))/;

// No permission stands here: who may not ask for jobs sees an empty list.
export const jobScreens = [
  screen("/jobs", {
    title: "jobs.title",
    nav: { group: "work", icon: IconListCheck, keys: "g j" },
    load: () => import("./JobsScreen"),
  }),
  screen("/jobs/$id", { title: "jobs.title", load: () => import("./JobsScreen") }),
] as const;

const tryModel: Omit<Action, "name"> = {
  title: "jobs.new",
  icon: IconMessageBolt,
  ...ASKING,
  perform: (go) => {
    go("/jobs");
    making.open();
  },
};

/** Among jobs it has the key of whatever is made there. */
export const jobActions = [
  action("jobs.new", { ...tryModel, keys: "c", on: HERE, perform: making.open }),
  action("jobs.try", { ...tryModel, on: ELSEWHERE }),
] as const;
