/** The signed-in person and their permissions: one answer of the server, fetched again whenever it may have changed. */

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, type ReactNode } from "react";

import { answer, api, onRefusal, type Feature, type Permission, type Schemas } from "@/api/client";
import { useToken } from "@/api/useToken";
import { preview } from "@/i18n/preview";

export type Whoami = Schemas["Whoami"];

export interface Session {
  me: Whoami;
  can: (permission: Permission) => boolean;
  has: (feature: Feature) => boolean;
  /** An instance's operator, on the plane above companies. */
  operator: boolean;
  /** The instance is for many companies. */
  multitenant: boolean;
}

const Context = createContext<Session | null>(null);

export const WHOAMI = ["session", "whoami"] as const;

export const whoamiQuery = (current: string | null) =>
  queryOptions({
    queryKey: [...WHOAMI, current],
    queryFn: () => answer(api.GET("/api/whoami")),
    enabled: current !== null,
    staleTime: 60_000,
    // Someone who returns to a suspended company sees at once when it has been resumed.
    refetchOnWindowFocus: ({ state }) => (state.data?.org.suspended ? "always" : true),
  });

export function useWhoami() {
  return useQuery(whoamiQuery(useToken()));
}

export function sessionOf(me: Whoami, multitenant = false): Session {
  const permissions = new Set<Permission>(me.permissions);
  // Operators can manage their own company without a role in it.
  const asOperator: Permission[] = me.operator ? ["org:read", "org:manage"] : [];
  return {
    me,
    can: (permission) => permissions.has(permission) || asOperator.includes(permission),
    has: (feature) => me.features.includes(feature),
    operator: me.operator,
    multitenant,
  };
}

interface Props {
  me: Whoami;
  multitenant: boolean;
  children: ReactNode;
}

export function SessionProvider({ me, multitenant, children }: Props) {
  useSuspensionRefresh();
  const session = sessionOf(me, multitenant);
  return <Context.Provider value={preview() ? unlimited(session) : session}>{children}</Context.Provider>;
}

/** Translators see the words of screens that they can't use; the server gives them none of the data. */
const unlimited = (session: Session): Session => ({ ...session, can: () => true, has: () => true, operator: true });

const SUSPENDED: readonly string[] = ["org_suspended", "tenant_suspended"];

/** A write was refused because the company is suspended: the session on screen is out of date. */
function useSuspensionRefresh(): void {
  const client = useQueryClient();
  useEffect(
    () => onRefusal(({ code }) => SUSPENDED.includes(code) && void client.invalidateQueries({ queryKey: WHOAMI })),
    [client],
  );
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession needs someone to be signed in");
  return session;
}

/** After a change of team, name or permissions: drops everything that was fetched before. */
export function useForgetEverything(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.resetQueries();
}
