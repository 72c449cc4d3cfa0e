/** The rows of both brandings: they stand in different groups of the rail. */

import { IconPalette } from "@tabler/icons-react";

import { screen } from "@/app/tables";

export const companyBrandingScreens = [
  screen("/company/branding", {
    title: "branding.title",
    permission: "org:read",
    nav: { group: "company", icon: IconPalette },
    load: () => import("./CompanyBrandingScreen"),
  }),
] as const;

export const instanceBrandingScreens = [
  screen("/instance/branding", {
    title: "branding.title",
    operator: true,
    permission: "instance:manage",
    nav: { group: "instance", icon: IconPalette },
    load: () => import("./InstanceBrandingScreen"),
  }),
] as const;
