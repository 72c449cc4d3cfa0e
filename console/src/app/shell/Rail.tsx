/** The left rail. Team and search stay on top, the account at the bottom; what is between them scrolls. */

import { ActionIcon } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { Activity } from "@/features/jobs/activity/Activity";
import { t } from "@/i18n";

import { useNavGroup } from "../navGroups";
import { AccountMenu } from "./AccountMenu";
import { toggleRail, useFolded } from "./folding";
import { Find } from "./Find";
import { NavLink } from "./NavLink";
import styles from "./Rail.module.css";
import { TeamSwitcher } from "./TeamSwitcher";

/** `foot` stands above the account. */
export function Rail({ foot, children }: { foot: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.rail}>
      <div className={styles.head}>
        <TeamSwitcher />
        <Find />
      </div>
      <div className={styles.middle}>{children}</div>
      <div className={styles.foot}>
        {foot}
        <div className={styles.account}>
          <AccountMenu />
          <Activity />
          <Fold />
        </div>
      </div>
    </div>
  );
}

export function NavGroup({ group }: { group: "main" | "foot" }) {
  return (
    <div className={styles.links}>
      {useNavGroup(group).map((screen) => (
        <NavLink key={screen.path} screen={screen} />
      ))}
    </div>
  );
}

function Fold() {
  const folded = useFolded();
  const Picture = folded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <ActionIcon variant="subtle" color="gray" size={30} className={styles.fold} aria-label={t("shell.fold")} title={`${t("shell.fold")} ([)`} aria-pressed={folded} onClick={toggleRail}>
      <Picture aria-hidden size={17} stroke={1.6} />
    </ActionIcon>
  );
}
