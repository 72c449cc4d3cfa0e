/** The console of someone who is signed in. Nobody else loads it: it has the router, the frame and all tables. */

import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect } from "react";

import { preview } from "@/i18n/preview";
import { TablesProvider } from "@/navigation/tables";
import { SessionProvider, type Whoami } from "@/session";
import { offerClipboard } from "@/ui/clipboard";

import { keepFresh } from "./live";
import { router } from "./router";
import { ACTIONS, SCREENS } from "./screens";

offerClipboard();

const TABLES = { screens: SCREENS, actions: ACTIONS };

let following = false;

/** Follows the server, once for the page: it goes on with whoever signs in next. */
export function follow(queries: QueryClient): void {
  if (following || preview()) return;
  following = true;
  keepFresh(queries);
}

export default function Console({ me, multitenant }: { me: Whoami; multitenant: boolean }) {
  const client = useQueryClient();
  useEffect(() => follow(client), [client]);
  return (
    <SessionProvider me={me} multitenant={multitenant}>
      <TablesProvider value={TABLES}>
        <RouterProvider router={router} />
      </TablesProvider>
    </SessionProvider>
  );
}
