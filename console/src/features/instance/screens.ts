/** The rows of the instance, for its operators. */

import { IconBuildingCommunity, IconChartLine, IconPlus, IconServer } from "@tabler/icons-react";

import { action, screen, type Needs } from "@/app/tables";

import { newCompany } from "./openings";

const OPERATOR: Needs = { operator: true, permission: "instance:manage" };

export const instanceScreens = [
  screen("/instance/status", {
    title: "instance.status",
    ...OPERATOR,
    nav: { group: "instance", icon: IconServer },
    load: () => import("./status/StatusScreen"),
  }),
  screen("/instance/companies", {
    title: "companies.title",
    ...OPERATOR,
    nav: { group: "instance", icon: IconBuildingCommunity },
    load: () => import("./companies/CompaniesScreen"),
  }),
  screen("/instance/companies/$ref", {
    title: "companies.one",
    ...OPERATOR,
    load: () => import("./companies/CompanyScreen"),
  }),
] as const;

export const metricsScreens = [
  screen("/instance/metrics", {
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
      go("/instance/companies");
      newCompany.open();
    },
  }),
] as const;
