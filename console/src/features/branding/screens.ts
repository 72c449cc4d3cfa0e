/** Branding screens of the company and the instance. */

import { IconPalette } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const companyBrandingScreens = [
  screen("/settings/company/branding", {
    title: "branding.title",
    permission: "org:read",
    nav: { group: "company", icon: IconPalette },
    load: () => import("./CompanyBrandingScreen"),
  }),
] as const;

export const instanceBrandingScreens = [
  screen("/settings/instance/branding", {
    title: "branding.title",
    operator: true,
    permission: "instance:manage",
    nav: { group: "instance", icon: IconPalette },
    load: () => import("./InstanceBrandingScreen"),
  }),
] as const;
