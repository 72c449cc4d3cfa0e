/** API queries for the user's account: profile, password, two-factor authentication, sessions. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { WHOAMI } from "@/session";

export type Session = Schemas["Session"];
export type TotpSecret = Schemas["TotpSecret"];

const CODES = ["account", "codes"] as const;
const SESSIONS = ["account", "sessions"] as const;

export function useSaveProfile() {
  const client = useQueryClient();
  return async (profile: Schemas["Profile"]): Promise<void> => {
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

export function useCodesLeft() {
  return useQuery({ queryKey: CODES, queryFn: () => answer(api.GET("/api/2fa/recovery-codes")) });
}

export function prepareFactor(): Promise<TotpSecret> {
  return answer(api.POST("/api/2fa/enable", { body: { confirm: true } }));
}

/** Also signs out other sessions, and shows in the list of people. */
export function useFactorChanges() {
  const client = useQueryClient();
  const changed = (): Promise<unknown> =>
    Promise.all([["account"], ["members"], WHOAMI].map((queryKey) => client.invalidateQueries({ queryKey })));
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
