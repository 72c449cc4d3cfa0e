/** Company screens and actions. */

import { IconBuilding, IconGauge, IconPlus, IconTimeline, IconUserPlus, IconUsersGroup } from "@tabler/icons-react";

import { action, screen } from "@/navigation/tables";

import { addingSomebody, newTeam } from "./openings";

export const companyScreens = [
  screen("/settings/company/teams", {
    title: "company.teams",
    permission: "org:read",
    nav: { group: "company", icon: IconBuilding },
    load: () => import("./TeamsScreen"),
  }),
  screen("/settings/company/people", {
    title: "company.people",
    permission: "org:read",
    nav: { group: "company", icon: IconUsersGroup },
    load: () => import("./PeopleScreen"),
  }),
] as const;

export const companyUpkeepScreens = [
  screen("/settings/company/quotas", {
    title: "quotas.title",
    permission: "org:read",
    nav: { group: "company", icon: IconGauge },
    load: () => import("./QuotasScreen"),
  }),
  screen("/settings/company/audit", {
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
      go("/settings/company/teams");
      newTeam.open();
    },
  }),
  action("company.add", {
    title: "company.add.action",
    icon: IconUserPlus,
    permission: "org:manage",
    perform: (go) => {
      go("/settings/company/people");
      addingSomebody.open();
    },
  }),
] as const;
