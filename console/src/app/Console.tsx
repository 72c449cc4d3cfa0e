/** The console of someone who is signed in. Nobody else loads it: it has the router, the frame and all tables. */

import { useQueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";

import { preview } from "@/i18n/preview";
import { TablesProvider } from "@/navigation/tables";
import { SessionProvider, type Whoami } from "@/session";

import { keepFresh } from "./live";
import { router } from "./router";
import { ACTIONS, SCREENS } from "./screens";

const TABLES = { screens: SCREENS, actions: ACTIONS };

let following = false;

export default function Console({ me, multitenant }: { me: Whoami; multitenant: boolean }) {
  const client = useQueryClient();
  useEffect(() => {
    // Once for the page: it goes on with whoever signs in next.
    if (following || preview()) return;
    following = true;
    keepFresh(client);
  }, [client]);
  return (
    <SessionProvider me={me} multitenant={multitenant}>
      <TablesProvider value={TABLES}>
        <RouterProvider router={router} />
      </TablesProvider>
    </SessionProvider>
  );
}
