/** Executor screens, for operators and for company admins. */

import { IconCpu } from "@tabler/icons-react";

import { action, screen, type Needs } from "@/navigation/tables";

import { setting } from "./openings";

const OPERATOR: Needs = { operator: true, permission: "instance:manage" };

export const companyExecutorScreens = [
  screen("/settings/company/executors", {
    title: "executors.title",
    permission: "org:manage",
    nav: { group: "company", icon: IconCpu },
    load: () => import("./CompanyExecutorsScreen"),
  }),
] as const;

export const instanceExecutorScreens = [
  screen("/settings/instance/executors", {
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
      go("/settings/instance/executors");
      setting.open();
    },
  }),
] as const;
