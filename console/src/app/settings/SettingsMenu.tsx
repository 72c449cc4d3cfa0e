/** The settings menu, grouped by whom a setting is for: in place of the rail's links, and on a phone a page of its own. */

import { IconChevronRight } from "@tabler/icons-react";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import type { Scope } from "@/navigation/tables";
import { useSession } from "@/session";

import { useSettingsGroups } from "../navGroups";
import { NavLink } from "../shell/NavLink";
import styles from "./SettingsMenu.module.css";

export function SettingsMenu({ asPage = false }: { asPage?: boolean }) {
  const menu = useCurrentInView();
  return (
    <nav ref={menu} aria-label={t("settings.title")} className={asPage ? styles.page : styles.menu}>
      {useSettingsGroups().map(({ scope, screens }) => (
        <div key={scope} role="group" aria-label={t(`settings.scope.${scope}`)}>
          <GroupTitle scope={scope} />
          {screens.map((screen) => (
            <div key={screen.path} className={styles.entry}>
              <NavLink screen={screen} />
              {asPage && <IconChevronRight aria-hidden size={16} className={styles.arrow} />}
            </div>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The menu is longer than a low window: the entry of the open screen is never below its edge. */
function useCurrentInView() {
  const menu = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => void menu.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" }), [path]);
  return menu;
}

function GroupTitle({ scope }: { scope: Scope }) {
  const { me } = useSession();
  const name = { team: me.team.name, company: me.org.name, instance: "", me: "" }[scope];
  return (
    <p className={styles.title}>
      <b>{t(`settings.scope.${scope}`)}</b>
      {name && <span>{name}</span>}
    </p>
  );
}
