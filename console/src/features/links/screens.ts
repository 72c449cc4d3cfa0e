/** Screens for the public links of the team and of the company. */

import { IconWorld } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const teamLinksScreens = [
  screen("/settings/team/links", {
    title: "links.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconWorld },
    load: () => import("./TeamLinks"),
  }),
] as const;

export const companyLinksScreens = [
  screen("/settings/company/links", {
    title: "links.title",
    permission: "org:manage",
    nav: { group: "company", icon: IconWorld },
    load: () => import("./CompanyLinks"),
  }),
] as const;
