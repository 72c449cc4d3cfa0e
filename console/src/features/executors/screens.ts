/** The rows of executors: all of them for those who run the instance, and a company's for those who run that. */

import { IconCpu } from "@tabler/icons-react";

import { action, screen, type Needs } from "@/app/tables";

import { setting } from "./openings";

const OPERATOR: Needs = { operator: true, permission: "instance:manage" };

export const companyExecutorScreens = [
  screen("/company/executors", {
    title: "executors.title",
    permission: "org:manage",
    nav: { group: "company", icon: IconCpu },
    load: () => import("./CompanyExecutorsScreen"),
  }),
] as const;

export const instanceExecutorScreens = [
  screen("/instance/executors", {
    title: "executors.title",
    ...OPERATOR,
    nav: { group: "instance", icon: IconCpu },
    load: () => import("./InstanceExecutorsScreen"),
  }),
] as const;

export const executorActions = [
  action("executors.new", {
    title: "executors.new",
    icon: IconCpu,
    ...OPERATOR,
    perform: (go) => {
      go("/instance/executors");
      setting.open();
    },
  }),
] as const;
