/** The frame around every screen: the rail, the palette and the dialogs that work anywhere; on a phone a bottom bar. */

import { IconArrowLeft, IconChevronLeft } from "@tabler/icons-react";
import { Link, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, useState, type ReactNode } from "react";

import { uploading } from "@/features/repository/upload/uploading";
import { t } from "@/i18n";
import { signingOut } from "@/navigation/signOut";
import { useCommand } from "@/ui/commands";
import { lazily } from "@/ui/lazily";

import { keyMap, useKeyboard } from "../keyboard";
import { box } from "../box/opening";
import { SETTINGS, useSettingsArea } from "../settings/area";
import { SettingsMenu } from "../settings/SettingsMenu";
import { BottomBar } from "./BottomBar";
import { useFolded } from "./folding";
import link from "./NavLink.module.css";
import { NavGroup, Rail } from "./Rail";
import { Shelves } from "./Shelves";
import styles from "./Shell.module.css";
import { Suspended } from "./Suspended";

const loadBox = () => import("../box/Box");
const Box = lazily(loadBox);
/** Dialogs and menus come with the box; toasts must be there when the server isn't. */
const loadRest = () => Promise.all([loadBox(), import("../ToastStack")]);
const KeyMap = lazily(() => import("./KeyMap"));
const SigningOut = lazily(() => import("./SigningOut"));
const Uploads = lazily(() => import("@/features/repository/upload/Tray"));

const IDLE_MS = 1_500;

export function Shell({ children }: { children: ReactNode }) {
  const { inSettings, outside } = useSettingsArea();
  const folded = useFolded();
  useKeyboard();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t("shell.skip")}
      </a>
      <Suspended />
      <div className={styles.body} data-folded={folded}>
        <nav className={styles.rail} data-folded={folded} aria-label={t("shell.main")}>
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
              <>
                <NavGroup group="main" />
                <Shelves />
              </>
            )}
          </Rail>
        </nav>
        {inSettings && <UpToSettings />}
        <main id="content" tabIndex={-1} className={styles.content}>
          {children}
        </main>
        <BottomBar />
      </div>
      <Suspense>{uploading.useOpened() && <Uploads />}</Suspense>
      <TheBox />
      <Suspense>{keyMap.useOpened() && <KeyMap />}</Suspense>
      <Suspense>{signingOut.useOpened() && <SigningOut />}</Suspense>
    </div>
  );
}

/** Somebody who saves data loads only what they use. */
const savesData = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Loaded in the first idle moment, or when it is first opened. */
function TheBox() {
  const opened = box.useOpened();
  const [wanted, setWanted] = useState(false);
  useCommand("search", box.open);
  useEffect(() => {
    if (savesData()) return;
    const timer = setTimeout(() => void loadRest().catch(() => undefined), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (opened && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Suspense>
      <Box />
    </Suspense>
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
