/** The bar above every open item: the way to it, its state, who is here, and what can be done with it. */

import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { IconDots, IconLayoutSidebarRight, IconShare2, IconWorld } from "@tabler/icons-react";
import type { ReactNode, Ref } from "react";

import { t } from "@/i18n";
import type { Subject } from "@/ui/shortcuts/shortcuts";
import { Star } from "@/ui/shortcuts/Star";
import { Toolbar } from "@/ui/Toolbar";
import { PublicMark } from "@/ui/visibility/VisibilityWord";

import { Breadcrumb } from "./Breadcrumb";
import type { Crumb } from "./crumbs";
import styles from "./TopBar.module.css";

export interface TopBarProps {
  /** Accessible name of the bar. */
  label: string;
  crumbs: readonly Crumb[];
  /** Title of the item. */
  here: string;
  /** Where the item has no heading of its own. */
  heading?: "h1" | "h2";
  /** What it is, if it can be starred. */
  subject?: Subject;
  /** Save state, or another state of the item. */
  state?: ReactNode;
  /** Who else is here. */
  who?: ReactNode;
  /** The buttons of this type of item. */
  actions?: ReactNode;
  /** With so many buttons that a phone has no room for Share. */
  crowded?: boolean;
  /** Whether anyone with an address can open it. */
  isPublic?: boolean;
  /** Absent if the caller can't share the item. */
  onShare?: () => void;
  /** Items of the menu, and its name; absent without any. */
  more?: { label: string; items: ReactNode };
}

interface Props extends TopBarProps {
  /** The button of the inspector, where there is one. */
  inspector?: { opened: boolean; toggle: () => void; button: Ref<HTMLButtonElement> };
}

export function TopBar({ label, crumbs, here, heading, subject, state, who, actions, crowded, isPublic, onShare, more, inspector }: Props) {
  return (
    <Toolbar className={styles.bar} aria-label={label} data-crowded={crowded} data-headed={heading !== undefined}>
      <Breadcrumb crumbs={crumbs} here={here} heading={heading} />
      {subject && <Star subject={subject} title={here} />}
      {state}
      <span className={styles.space} />
      {who}
      {actions}
      {isPublic && !onShare && <PublicMark />}
      {onShare && (
        <Button variant="default" size="compact-md" className={styles.share} data-public={isPublic || undefined} aria-label={isPublic ? t("sharing.share.public") : undefined} title={isPublic ? t("visibility.public") : undefined} onClick={onShare}>
          {isPublic ? <IconWorld aria-hidden size={15} /> : <IconShare2 aria-hidden size={15} />}
          <span className={styles.word}>{t("sharing.share")}</span>
        </Button>
      )}
      {inspector && <Toggle {...inspector} />}
      {more && (
        <Menu position="bottom-end" width={230}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={more.label}>
              <IconDots aria-hidden size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>{more.items}</Menu.Dropdown>
        </Menu>
      )}
    </Toolbar>
  );
}

function Toggle({ opened, toggle, button }: NonNullable<Props["inspector"]>) {
  return (
    <Tooltip label={`${t("inspector.title")} (i)`} openDelay={300}>
      <ActionIcon
        ref={button}
        variant={opened ? "light" : "subtle"}
        color="gray"
        size={32}
        aria-label={t("inspector.title")}
        aria-expanded={opened}
        aria-keyshortcuts="i"
        onClick={toggle}
      >
        <IconLayoutSidebarRight aria-hidden size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
