/** The door: a fresh instance is set up, a stranger signs in, and everybody else walks in. */

import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode } from "react";

import { answer, api } from "@/api/client";
import { Failed, Loading } from "@/ui/states";

import { SessionProvider, useToken, useWhoami } from "./session";
import { Shell } from "./shell/Shell";

const FirstRun = lazy(() => import("@/features/entrance/FirstRun"));
const SignIn = lazy(() => import("@/features/entrance/SignIn"));

export const CONFIG = ["instance", "config"] as const;

export function useConfig() {
  return useQuery({ queryKey: CONFIG, queryFn: () => answer(api.GET("/api/config")), staleTime: Infinity });
}

export function Entrance() {
  const token = useToken();
  const config = useConfig();
  const whoami = useWhoami();

  if (config.isPending) return <Loading />;
  if (config.isError) return <Failed error={config.error} again={() => void config.refetch()} />;
  if (!config.data.bootstrapped) return <Door screen={<FirstRun />} />;
  if (!token) return <Door screen={<SignIn />} />;
  if (whoami.isPending) return <Loading />;
  if (whoami.isError) return <Failed error={whoami.error} again={() => void whoami.refetch()} />;
  return (
    <SessionProvider me={whoami.data} multitenant={config.data.multitenant}>
      <Shell>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </Shell>
    </SessionProvider>
  );
}

function Door({ screen }: { screen: ReactNode }) {
  return <Suspense fallback={<Loading />}>{screen}</Suspense>;
}
