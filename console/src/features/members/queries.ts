/** API queries for the team's people. */

import { useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { welcomed, type Welcomed } from "@/api/people";
import { useEndless } from "@/ui/endless";

import { MEMBERS } from "./keys";

export type Member = Schemas["Member"];
export type Role = Schemas["Role"];

const PAGE = 100;

export function useMembers() {
  return useEndless([...MEMBERS, "list"], (cursor) =>
    answer(api.GET("/api/members", { params: { query: { limit: PAGE, cursor } } })),
  );
}

export interface Invitation {
  username: string;
  role: Role;
  display_name?: string;
  password?: string;
}

export function useMemberChanges() {
  const client = useQueryClient();
  const changed = (): Promise<void> => client.invalidateQueries({ queryKey: MEMBERS });
  return {
    async add(invitation: Invitation): Promise<Welcomed> {
      const added = welcomed(await answer(api.POST("/api/members", { body: invitation })));
      await changed();
      return added;
    },
    async changeRole(id: string, role: Role): Promise<void> {
      await answer(api.PATCH("/api/members/{id}", { params: { path: { id } }, body: { role } }));
      await changed();
    },
    async remove(id: string): Promise<void> {
      await answer(api.DELETE("/api/members/{id}", { params: { path: { id } } }));
      await changed();
    },
  };
}
