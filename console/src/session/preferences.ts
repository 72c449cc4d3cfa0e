/** How the person has set up the console; kept with the account, so it's the same in every browser. */

import { useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

import { useSession, WHOAMI, type Whoami } from ".";

export const usePreferences = (): Schemas["Preferences"] => useSession().me.preferences;

/** Shown at once. What the server can't be told, or refuses, holds until the person is asked for again. */
export function usePrefer(): (change: Schemas["PreferenceChange"]) => void {
  const client = useQueryClient();
  return (change) => {
    client.setQueriesData<Whoami>({ queryKey: WHOAMI }, (me) => me && { ...me, preferences: { ...me.preferences, ...change } });
    void answer(api.POST("/api/profile", { body: { preferences: change } })).catch(() => undefined);
  };
}
