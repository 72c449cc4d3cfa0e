/** The frame around every screen: the rail, the palette and the dialogs that work anywhere; on a phone a bottom bar. */

import { IconArrowLeft, IconChevronLeft } from "@tabler/icons-react";
import { Link, useRouterState } from "@tanstack/react-router";
import { Suspense, type ReactNode } from "react";

import { uploading } from "@/features/repository/upload/uploading";
import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";

import { useKeyboard } from "../keyboard";
import { Palette } from "../Palette";
import { SETTINGS, useSettingsArea } from "../settings/area";
import { SettingsMenu } from "../settings/SettingsMenu";
import { BottomBar } from "./BottomBar";
import { KeyMap } from "./KeyMap";
import link from "./NavLink.module.css";
import { NavGroup, Rail } from "./Rail";
import styles from "./Shell.module.css";
import { SigningOut } from "./SigningOut";
import { Suspended } from "./Suspended";

const Uploads = lazily(() => import("@/features/repository/upload/Tray"));

export function Shell({ children }: { children: ReactNode }) {
  const { inSettings, outside } = useSettingsArea();
  useKeyboard();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t("shell.skip")}
      </a>
      <Suspended />
      <div className={styles.body}>
        <nav className={styles.rail} aria-label={t("shell.main")}>
          <Rail foot={inSettings ? null : <NavGroup group="foot" />}>
            {inSettings ? (
              <>
                <Link {...outside} className={`${link.link} ${styles.back}`}>
                  <IconArrowLeft aria-hidden size={17} stroke={1.6} />
                  {t("settings.back")}
                </Link>
                <SettingsMenu />
              </>
            ) : (
              <NavGroup group="main" />
            )}
          </Rail>
        </nav>
        {inSettings && <UpToSettings />}
        <main id="content" tabIndex={-1} className={styles.content}>
          {children}
        </main>
        <BottomBar />
      </div>
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

/** Where the rail isn't in sight: the way from a settings screen back to the menu. */
function UpToSettings() {
  const isMenu = useRouterState({ select: (state) => state.location.pathname === SETTINGS });
  if (isMenu) return null;
  return (
    <nav className={styles.up} aria-label={t("settings.title")}>
      <Link to={SETTINGS} className={link.link} activeOptions={{ exact: true }}>
        <IconChevronLeft aria-hidden size={17} />
        {t("settings.title")}
      </Link>
    </nav>
  );
}
