/** The row of the team's audit trail. */

import { IconTimeline } from "@tabler/icons-react";

import { screen } from "@/app/tables";

export const auditScreens = [
  screen("/audit", {
    title: "audit.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconTimeline },
    load: () => import("./AuditScreen"),
  }),
] as const;
