/** Decides what to show first: setup on a new instance, sign-in, or the console. Each is code of its own. */

import type { QueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, type ReactNode } from "react";

import { Refusal } from "@/api/client";
import { staying, useEntering } from "@/api/staying";
import { useToken } from "@/api/useToken";
import { setZone } from "@/i18n";
import { useLanguage } from "@/i18n/useLanguage";
import { useWhoami } from "@/session";
import { useConfig } from "@/session/config";
import { lazily } from "@/ui/lazily";
import { Failed, Loading } from "@/ui/states";

const loadSignIn = () => import("@/features/entrance/SignIn");
const loadConsole = () => import("./Console");

const FirstRun = lazily(() => import("@/features/entrance/FirstRun"));
const SignIn = lazily(loadSignIn);
const Console = lazily(loadConsole);

/** Loads the code of what is shown first. Whoever is signed in follows the server before anything is asked for: that is certain then. */
export async function loadFirst(queries: QueryClient, isSignedIn: boolean): Promise<void> {
  if (isSignedIn) (await loadConsole()).follow(queries);
  else await loadSignIn();
}

/** While somebody writes their name, the console comes. */
const expectConsole = (): void => void loadConsole().catch(() => undefined);

/** Nobody knows yet whether the person is still signed in. */
const UNASKED = new Refusal(0, {});

export function Entrance() {
  const token = useToken();
  const entering = useEntering();
  const config = useConfig();
  const whoami = useWhoami();
  const me = whoami.data;
  const policy = config.data?.localization;
  // Where people can't choose, everyone has the language of the instance, also before they sign in.
  const spoken = useLanguage(policy?.switching === false ? policy.default_locale : me?.locale);
  // Not an effect: what is rendered below already shows times.
  setZone(me?.time_zone);

  if (config.isPending) return <Loading />;
  if (config.isLoadingError) return <Failed error={config.error} again={() => void config.refetch()} />;
  if (!config.data.bootstrapped) return <Door screen={<FirstRun asksForCode={config.data.bootstrap_code} />} />;
  if (!token && entering === "asking") return <Loading />;
  if (!token && entering === "failed") return <Failed error={UNASKED} again={() => void staying.enter()} />;
  if (!token) return <Door screen={<SignIn />} />;
  // Once someone is signed in, a failed check that they still are doesn't take their work away.
  if (!me && whoami.isError) return <Failed error={whoami.error} again={() => void whoami.refetch()} />;
  if (!me || !spoken) return <Loading />;
  return (
    <Suspense fallback={<Loading />}>
      <Console me={me} multitenant={config.data.multitenant} />
    </Suspense>
  );
}

function Door({ screen }: { screen: ReactNode }) {
  useEffect(() => {
    document.addEventListener("input", expectConsole, { once: true });
    return () => document.removeEventListener("input", expectConsole);
  }, []);
  return <Suspense fallback={<Loading />}>{screen}</Suspense>;
}
