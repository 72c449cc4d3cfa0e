/** The frame around every screen: the rail, the switcher of teams, the palette; on a phone a bar below. */

import { ActionIcon, Button, Drawer, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useRouterState } from "@tanstack/react-router";
import { IconCommand, IconDots, IconSearch } from "@tabler/icons-react";
import { Suspense, useEffect, type ReactNode } from "react";

import { lazily } from "@/api/reach";
import { uploading } from "@/features/repository/upload/uploading";
import { SearchBox } from "@/features/search/SearchBox";
import { t } from "@/i18n";

import { keyMap, useKeyboard } from "../keyboard";
import { openPalette, Palette } from "../Palette";
import { SCREENS } from "../screens";
import { useSession } from "../session";
import { allowed, type Group, type Screen } from "../tables";
import { KeyMap } from "./KeyMap";
import { Me } from "./Me";
import styles from "./Shell.module.css";
import { SigningOut } from "./SigningOut";
import { Suspended } from "./Suspended";
import { TeamSwitcher } from "./TeamSwitcher";

const GROUPS: readonly Group[] = ["work", "team", "company", "instance"];
const ON_THE_BAR = 4;
const Uploads = lazily(() => import("@/features/repository/upload/Tray"));

export function Shell({ children }: { children: ReactNode }) {
  const { me } = useSession();
  const [more, { open, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useKeyboard();
  useEffect(close, [path, close]);
  return (
    <div className={styles.shell} data-suspended={me.org.suspended || undefined}>
      <a className={styles.skip} href="#content">
        {t("shell.skip")}
      </a>
      <Suspended />
      <nav className={styles.rail} aria-label={t("shell.main")}>
        <Rail />
      </nav>
      <main id="content" tabIndex={-1} className={styles.content}>
        {children}
      </main>
      <Bar onMore={open} />
      <Drawer
        opened={more}
        onClose={close}
        title={t("shell.more")}
        closeButtonProps={{ "aria-label": t("action.close") }}
        position="bottom"
        size="85%"
        classNames={{ content: styles.drawer, body: styles.drawn }}
      >
        <Rail />
      </Drawer>
      {uploading.useOpened() && (
        <Suspense>
          <Uploads />
        </Suspense>
      )}
      <Palette />
      <KeyMap />
      <SigningOut />
    </div>
  );
}

function useRail(): [Group, Screen[]][] {
  const session = useSession();
  return GROUPS.map((group): [Group, Screen[]] => [
    group,
    SCREENS.filter((screen) => screen.nav?.group === group && allowed(screen, session)),
  ]).filter(([, screens]) => screens.length > 0);
}

function Rail() {
  return (
    <div className={styles.stack}>
      <TeamSwitcher />
      <Find />
      <div className={styles.places}>
        {useRail().map(([group, screens]) => (
          <div key={group} role="group" aria-label={t(`shell.group.${group}`)}>
            {group !== "work" && <p className={styles.group}>{t(`shell.group.${group}`)}</p>}
            {screens.map((screen) => (
              <Place key={screen.path} screen={screen} />
            ))}
          </div>
        ))}
      </div>
      <div className={styles.foot}>
        <Button variant="subtle" size="compact-xs" color="gray" onClick={keyMap.open}>
          {t("shell.keys")} <kbd className={styles.key}>?</kbd>
        </Button>
        <Me />
      </div>
    </div>
  );
}

/** Search, and the palette beside it; who may not search has the palette alone. */
function Find() {
  const { can } = useSession();
  if (can("search")) {
    const label = `${t("shell.jump")} (${t("shell.palette.keys")})`;
    return (
      <div className={styles.find}>
        <SearchBox />
        <Tooltip label={label} openDelay={300}>
          <ActionIcon variant="default" size={36} className={styles.jump} aria-label={label} onClick={openPalette}>
            <IconCommand aria-hidden size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
    );
  }
  return (
    <Button
      variant="default"
      justify="space-between"
      fullWidth
      leftSection={<IconSearch aria-hidden size={15} />}
      rightSection={<kbd>{t("shell.palette.keys")}</kbd>}
      className={styles.find}
      onClick={openPalette}
    >
      {t("shell.palette")}
    </Button>
  );
}

/** Another place of the rail lies below it, and only one of the two is where one is. */
function isAbove(screen: Screen): boolean {
  return SCREENS.some((other) => other.nav && other.path.startsWith(`${screen.path}/`));
}

function Place({ screen }: { screen: Screen }) {
  const Picture = screen.nav?.icon;
  return (
    <Link to={screen.path} className={styles.place} activeProps={{ "aria-current": "page" }} activeOptions={{ exact: isAbove(screen) }}>
      {Picture && <Picture aria-hidden size={17} stroke={1.6} />}
      {t(screen.title)}
    </Link>
  );
}

function Bar({ onMore }: { onMore: () => void }) {
  const screens = useRail().flatMap(([, all]) => all);
  return (
    <nav className={styles.bar} aria-label={t("shell.quick")}>
      {screens.slice(0, ON_THE_BAR).map((screen) => (
        <Place key={screen.path} screen={screen} />
      ))}
      <button type="button" className={styles.place} onClick={onMore}>
        <IconDots aria-hidden size={17} />
        {t("shell.more")}
      </button>
    </nav>
  );
}
