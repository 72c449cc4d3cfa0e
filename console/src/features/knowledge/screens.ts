/** Screens and actions for the graph of people, organisations and other things in the documents. */

import { IconTopologyStar3, IconWand } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { EXTRACTING, extracting } from "./extract/extracting";

const HERE = /\/graph(\/|$)/;
const ELSEWHERE = /^(?!.*\/graph(\/|$))/;

// No permission needed: guests see what the files shared with them say.
export const knowledgeScreens = [
  screen("/graph", {
    title: "graph.title",
    nav: { group: "main", icon: IconTopologyStar3, keys: "g g" },
    load: () => import("./KnowledgeScreen"),
  }),
  screen("/graph/$id", { title: "graph.title", load: () => import("./KnowledgeScreen") }),
] as const;

export const knowledgeActions = [
  action("graph.extract", { title: "graph.extract", icon: IconWand, ...EXTRACTING, keys: "c", on: HERE, perform: extracting.open }),
  action("graph.read", {
    title: "graph.extract",
    icon: IconWand,
    ...EXTRACTING,
    on: ELSEWHERE,
    perform: (go) => {
      go("/graph");
      extracting.open();
    },
  }),
] as const;
