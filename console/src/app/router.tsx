/** The routes: every screen of the table has a URL that can be shared, and a refused one says so. */

import { Button } from "@mantine/core";
import { IconMap2 } from "@tabler/icons-react";
import { createRootRoute, createRoute, createRouter, Link, Outlet, type AnyRoute } from "@tanstack/react-router";
import { Suspense, type ReactNode } from "react";

import { t } from "@/i18n";
import { allowed, type Screen } from "@/navigation/tables";
import { useSession } from "@/session";
import { lazily } from "@/ui/lazily";
import { ScreenSkeleton } from "@/ui/skeleton/ScreenSkeleton";
import { Empty, Failed, Refused } from "@/ui/states";
import { TurnedOff } from "@/ui/TurnedOff";

import { BASE } from "./base";
import { SCREENS } from "./screens";
import { Shell } from "./shell/Shell";

const root = createRootRoute({
  component: Frame,
  notFoundComponent: Nowhere,
});

function Frame() {
  return (
    <Shell>
      <Suspense fallback={<ScreenSkeleton />}>
        <Outlet />
      </Suspense>
    </Shell>
  );
}

function Nowhere() {
  return (
    <Empty
      title={t("state.nowhere")}
      icon={IconMap2}
      action={
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/" />}>
          {t("state.nowhere.home")}
        </Button>
      }
    >
      {t("state.nowhere.words")}
    </Empty>
  );
}

function guarded(screen: Screen): () => ReactNode {
  const Content = lazily(screen.load);
  function Guarded() {
    const session = useSession();
    if (allowed(screen, session)) return <Content />;
    if (screen.feature && !session.has(screen.feature)) return <TurnedOff feature={screen.feature} mayTurnOn={session.can("settings:manage")} />;
    return <Refused permission={screen.operator ? "operator" : screen.permission} screen={t(screen.title)} />;
  }
  // The router calls it for a link under the pointer. If the code doesn't come, the screen asks again.
  return Object.assign(Guarded, { preload: () => void screen.load().catch(() => undefined) });
}

const routes: AnyRoute[] = SCREENS.map((screen) =>
  createRoute({ getParentRoute: () => root, path: screen.path, component: guarded(screen) }),
);

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: BASE,
  defaultPendingComponent: ScreenSkeleton,
  // Browsers may remember that a module failed to load: only a new page asks for it again.
  defaultErrorComponent: ({ error }) => <Failed error={error} again={() => location.reload()} />,
  defaultPreload: "intent",
  scrollRestoration: true,
});
