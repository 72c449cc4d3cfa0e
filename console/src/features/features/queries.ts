/** API queries for feature flags, which also decide what the sidebar shows. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Feature, type Schemas } from "@/api/client";
import { WHOAMI } from "@/session";

export type Flag = Schemas["Flag"];
interface Flags {
  items: Flag[];
}

const FEATURES = ["features"] as const;

export function useFlags() {
  return useQuery({ queryKey: FEATURES, queryFn: () => answer(api.GET("/api/features")) });
}

/** Optimistic update, rolled back on error. */
export function useSwitch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, enabled }: { name: Feature; enabled: boolean }) =>
      answer(api.POST("/api/features/{name}", { params: { path: { name } }, body: { enabled } })),
    onMutate: async ({ name, enabled }) => {
      await client.cancelQueries({ queryKey: FEATURES });
      const before = client.getQueryData<Flags>(FEATURES);
      client.setQueryData<Flags>(FEATURES, (flags) =>
        flags ? { ...flags, items: flags.items.map((flag) => (flag.name === name ? { name, enabled } : flag)) } : flags,
      );
      return { before };
    },
    onError: (_fault, _wish, context) => client.setQueryData(FEATURES, context?.before),
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: FEATURES }), client.invalidateQueries({ queryKey: WHOAMI })]),
  });
}
