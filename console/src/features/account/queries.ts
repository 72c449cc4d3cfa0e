/** One's own account at the server: profile, password, second factor, sessions. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { useSession, WHOAMI } from "@/app/session";

export type Session = Schemas["Session"];
export type TotpSecret = Schemas["TotpSecret"];

const FACTOR = ["account", "factor"] as const;
const SESSIONS = ["account", "sessions"] as const;

export function useSaveProfile() {
  const client = useQueryClient();
  return async (profile: { display_name: string; locale?: string }): Promise<void> => {
    await answer(api.POST("/api/profile", { body: profile }));
    await Promise.all([
      client.invalidateQueries({ queryKey: WHOAMI }),
      client.invalidateQueries({ queryKey: ["members"] }),
    ]);
  };
}

export function useChangePassword() {
  const client = useQueryClient();
  return async (change: { current_password: string; new_password: string }): Promise<void> => {
    await answer(api.POST("/api/password", { body: change }));
    await client.invalidateQueries({ queryKey: SESSIONS });
  };
}

export interface Factor {
  on: boolean;
  codes: number;
}

export function useFactor() {
  const { me } = useSession();
  return useQuery({ queryKey: FACTOR, queryFn: () => readFactor(me.user.id) });
}

async function readFactor(userId: string): Promise<Factor> {
  const { remaining } = await answer(api.GET("/api/2fa/recovery-codes"));
  return { on: remaining > 0 || (await isArmed(userId)), codes: remaining };
}

/** Whoever has spent every code looks like somebody without the factor: only the list of members tells them apart. */
async function isArmed(userId: string): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const page = await answer(api.GET("/api/members", { params: { query: { limit: 200, cursor } } }));
    const own = page.items.find((member) => member.user_id === userId);
    if (own) return own.two_factor;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return false;
}

export function prepareFactor(): Promise<TotpSecret> {
  return answer(api.POST("/api/2fa/enable", { body: { confirm: true } }));
}

/** What changes the factor also ends other sessions, and is seen in the list of members. */
export function useFactorChanges() {
  const client = useQueryClient();
  const changed = (): Promise<unknown> =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["account"] }),
      client.invalidateQueries({ queryKey: ["members"] }),
    ]);
  return {
    async confirm(code: string): Promise<string[]> {
      const { recovery_codes } = await answer(api.POST("/api/2fa/enable", { body: { code } }));
      await changed();
      return recovery_codes ?? [];
    },
    async renew(): Promise<string[]> {
      const { recovery_codes } = await answer(api.POST("/api/2fa/recovery-codes"));
      await changed();
      return recovery_codes;
    },
    async turnOff(password: string): Promise<void> {
      await answer(api.DELETE("/api/2fa", { body: { password } }));
      await changed();
    },
  };
}

export function useSessions() {
  return useQuery({ queryKey: SESSIONS, queryFn: () => answer(api.GET("/api/sessions")) });
}

export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) await answer(api.DELETE("/api/sessions/{id}", { params: { path: { id } } }));
    },
    onSettled: () => client.invalidateQueries({ queryKey: SESSIONS }),
  });
}
