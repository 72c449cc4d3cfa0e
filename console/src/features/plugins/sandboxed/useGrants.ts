/** Grants capabilities to a sandboxed plugin; a disabled one starts again. */

import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, api } from "@/api/client";
import { SANDBOXED, type SandboxedPlugin } from "@/api/extensions";

import { granted } from "./grants";

/** Optimistic update, rolled back on error. */
export function useGrants(plugin: SandboxedPlugin) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (capabilities: string[]) => answer(api.PUT("/api/oop/{id}/grants", { params: { path: { id: plugin.id } }, body: { capabilities } })),
    onMutate: async (capabilities) => {
      await client.cancelQueries({ queryKey: SANDBOXED });
      const before = client.getQueryData<SandboxedPlugin[]>(SANDBOXED);
      client.setQueryData<SandboxedPlugin[]>(SANDBOXED, (plugins) => plugins?.map((one) => (one.id === plugin.id ? granted(one, capabilities) : one)));
      return { before };
    },
    onError: (_fault, _wish, context) => client.setQueryData(SANDBOXED, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: SANDBOXED }),
  });
}
