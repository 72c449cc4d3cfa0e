/** Who is here, and what they may do: one answer of the server, asked again whenever it may have changed. */

import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useSyncExternalStore, type ReactNode } from "react";

import { answer, api, onRefusal, type Feature, type Permission, type Schemas } from "@/api/client";
import { token } from "@/api/token";

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

export function useToken(): string | null {
  return useSyncExternalStore(token.subscribe, token.get);
}

export const WHOAMI = ["session", "whoami"] as const;

export const whoamiQuery = (current: string | null) =>
  queryOptions({
    queryKey: [...WHOAMI, current],
    queryFn: () => answer(api.GET("/api/whoami")),
    enabled: current !== null,
    staleTime: 60_000,
    // Who comes back to a suspended company sees at once that it goes on.
    refetchOnWindowFocus: ({ state }) => (state.data?.org.suspended ? "always" : true),
  });

export function useWhoami() {
  return useQuery(whoamiQuery(useToken()));
}

export function sessionOf(me: Whoami, multitenant = false): Session {
  const permissions = new Set<Permission>(me.permissions);
  // An operator may use the company's plane of their own company without a role in it.
  const asOperator: Permission[] = me.operator ? ["org:read", "org:manage"] : [];
  return {
    me,
    can: (permission) => permissions.has(permission) || asOperator.includes(permission),
    has: (feature) => me.features.includes(feature),
    operator: me.operator,
    multitenant,
  };
}

interface Provided {
  me: Whoami;
  multitenant: boolean;
  children: ReactNode;
}

export function SessionProvider({ me, multitenant, children }: Provided) {
  useStanding();
  return <Context.Provider value={sessionOf(me, multitenant)}>{children}</Context.Provider>;
}

const SUSPENDED: readonly string[] = ["org_suspended", "tenant_suspended"];

/** A write was refused since the company is suspended: whoever is here did not know of it yet. */
function useStanding(): void {
  const client = useQueryClient();
  useEffect(
    () => onRefusal(({ code }) => SUSPENDED.includes(code) && void client.invalidateQueries({ queryKey: WHOAMI })),
    [client],
  );
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("this screen is for people who are signed in");
  return session;
}

/** After a change of team, name or rights: everything that was fetched as somebody else is forgotten. */
export function useForgetEverything(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.resetQueries();
}
