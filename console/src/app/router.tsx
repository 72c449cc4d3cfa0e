/** The routes: every screen of the table has a URL that can be shared, and a refused one says so. */

import {
  createRootRoute,
  createRoute,
  createRouter,
  type AnyRoute,
} from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { allowed, type Screen } from "@/navigation/tables";
import { useSession } from "@/session";
import { lazily } from "@/ui/lazily";
import { Empty, Failed, Loading, Refused, TurnedOff } from "@/ui/states";

import { Entrance } from "./Entrance";
import { SCREENS } from "./screens";

/** Below it every address is the console's; the server answers all of them with the same page. */
export const BASE = "/app";

const root = createRootRoute({
  component: Entrance,
  notFoundComponent: () => <Empty title={t("state.nowhere")}>{t("state.nowhere.words")}</Empty>,
});

function guarded(screen: Screen): () => ReactNode {
  const Content = lazily(screen.load);
  return function Guarded() {
    const session = useSession();
    if (allowed(screen, session)) return <Content />;
    if (screen.feature && !session.has(screen.feature)) return <TurnedOff feature={screen.feature} mayTurnOn={session.can("settings:manage")} />;
    return <Refused permission={screen.operator ? "operator" : screen.permission} screen={t(screen.title)} />;
  };
}

const routes: AnyRoute[] = SCREENS.map((screen) =>
  createRoute({ getParentRoute: () => root, path: screen.path, component: guarded(screen) }),
);

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: BASE,
  defaultPendingComponent: () => <Loading />,
  // Browsers may remember that a module failed to load: only a new page asks for it again.
  defaultErrorComponent: ({ error }) => <Failed error={error} again={() => location.reload()} />,
  defaultPreload: "intent",
  scrollRestoration: true,
});
