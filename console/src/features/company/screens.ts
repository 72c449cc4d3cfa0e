/** The rows of the company. */

import { IconBuilding, IconGauge, IconPlus, IconTimeline, IconUserPlus, IconUsersGroup } from "@tabler/icons-react";

import { action, screen } from "@/app/tables";

import { addingSomebody, newTeam } from "./openings";

export const companyScreens = [
  screen("/company", {
    title: "company.teams",
    permission: "org:read",
    nav: { group: "company", icon: IconBuilding },
    load: () => import("./TeamsScreen"),
  }),
  screen("/company/people", {
    title: "company.people",
    permission: "org:read",
    nav: { group: "company", icon: IconUsersGroup },
    load: () => import("./PeopleScreen"),
  }),
] as const;

export const companyUpkeepScreens = [
  screen("/company/quotas", {
    title: "quotas.title",
    permission: "org:read",
    nav: { group: "company", icon: IconGauge },
    load: () => import("./QuotasScreen"),
  }),
  screen("/company/audit", {
    title: "company.audit",
    permission: "org:read",
    nav: { group: "company", icon: IconTimeline },
    load: () => import("./AuditScreen"),
  }),
] as const;

export const companyActions = [
  action("company.team", {
    title: "company.team.new",
    icon: IconPlus,
    permission: "org:manage",
    perform: (go) => {
      go("/company");
      newTeam.open();
    },
  }),
  action("company.add", {
    title: "company.add.action",
    icon: IconUserPlus,
    permission: "org:manage",
    perform: (go) => {
      go("/company/people");
      addingSomebody.open();
    },
  }),
] as const;
