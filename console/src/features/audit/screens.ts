/** Screen for the team's audit log. */

import { IconTimeline } from "@tabler/icons-react";

import { screen } from "@/navigation/tables";

export const auditScreens = [
  screen("/settings/team/audit", {
    title: "audit.title",
    permission: "settings:manage",
    nav: { group: "team", icon: IconTimeline },
    load: () => import("./AuditScreen"),
  }),
] as const;
