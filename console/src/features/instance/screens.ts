/** Instance screens, for operators. */

import { IconBuildingCommunity, IconChartLine, IconPlus, IconServer } from "@tabler/icons-react";

import { action, screen, type Needs } from "@/navigation/tables";

import { newCompany } from "./openings";

const OPERATOR: Needs = { operator: true, permission: "instance:manage" };

export const instanceScreens = [
  screen("/settings/instance/status", {
    title: "instance.status",
    ...OPERATOR,
    nav: { group: "instance", icon: IconServer },
    load: () => import("./status/StatusScreen"),
  }),
  screen("/settings/instance/companies", {
    title: "companies.title",
    ...OPERATOR,
    nav: { group: "instance", icon: IconBuildingCommunity },
    load: () => import("./companies/CompaniesScreen"),
  }),
  screen("/settings/instance/companies/$ref", {
    title: "companies.one",
    ...OPERATOR,
    load: () => import("./companies/CompanyScreen"),
  }),
] as const;

export const metricsScreens = [
  screen("/settings/instance/metrics", {
    title: "metrics.title",
    ...OPERATOR,
    nav: { group: "instance", icon: IconChartLine },
    load: () => import("./metrics/MetricsScreen"),
  }),
] as const;

export const instanceActions = [
  action("instance.company", {
    title: "companies.new",
    icon: IconPlus,
    ...OPERATOR,
    when: (session) => session.multitenant,
    perform: (go) => {
      go("/settings/instance/companies");
      newCompany.open();
    },
  }),
] as const;
