/** The door: a fresh instance is set up, a stranger signs in, and everybody else walks in. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Suspense, type ReactNode } from "react";

import { answer, api } from "@/api/client";
import { lazily } from "@/api/reach";
import { useLanguage } from "@/i18n/useLanguage";
import { Failed, Loading } from "@/ui/states";

import { SessionProvider, useToken, useWhoami } from "./session";
import { Shell } from "./shell/Shell";

const FirstRun = lazily(() => import("@/features/entrance/FirstRun"));
const SignIn = lazily(() => import("@/features/entrance/SignIn"));

export const configQuery = queryOptions({
  queryKey: ["instance", "config"],
  queryFn: () => answer(api.GET("/api/config")),
  staleTime: Infinity,
});

export const useConfig = () => useQuery(configQuery);

export function Entrance() {
  const token = useToken();
  const config = useConfig();
  const whoami = useWhoami();
  const me = whoami.data;
  const spoken = useLanguage(me?.locale);

  if (config.isPending) return <Loading />;
  if (config.isError) return <Failed error={config.error} again={() => void config.refetch()} />;
  if (!config.data.bootstrapped) return <Door screen={<FirstRun asksForCode={config.data.bootstrap_code} />} />;
  if (!token) return <Door screen={<SignIn />} />;
  // Once somebody is in, a failed look whether they still are does not take their work away.
  if (!me && whoami.isError) return <Failed error={whoami.error} again={() => void whoami.refetch()} />;
  if (!me || !spoken) return <Loading />;
  return (
    <SessionProvider me={me} multitenant={config.data.multitenant}>
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
