/** API queries for model roles. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Roles = Schemas["ModelRoles"];
export type Report = Schemas["RoleModel"];
export type Role = Report["role"];

const MODELS = ["models"] as const;
/** An executor that is lost or comes back changes the answer. */
const LOOK_AGAIN = 15_000;

export function useRoles() {
  return useQuery({ queryKey: [...MODELS, "roles"], queryFn: () => answer(api.GET("/api/model-roles")) });
}

/** Which model would answer now, for each role. */
export function useReports() {
  return useQuery({
    queryKey: [...MODELS, "reports"],
    queryFn: async () => (await answer(api.GET("/api/ai/model"))).roles,
    refetchInterval: LOOK_AGAIN,
  });
}

/** Null returns a role to the default. */
export function useSetRole() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ role, executor }: { role: Role; executor: string | null }) =>
      answer(api.PUT("/api/model-roles", { body: { roles: { [role]: executor } } })),
    onSettled: () => client.invalidateQueries({ queryKey: MODELS }),
  });
}
