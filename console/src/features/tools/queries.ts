/** API queries for tools. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Tool = Schemas["TeamTool"];

const TOOLS = ["tools"] as const;

export function useTools() {
  return useQuery({ queryKey: TOOLS, queryFn: async () => (await answer(api.GET("/api/tools"))).items });
}

/** Optimistic update, rolled back on error. */
export function useSwitch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, enabled }: { name: string; enabled: boolean }) =>
      answer(api.POST("/api/tools/{name}", { params: { path: { name } }, body: { enabled } })),
    onMutate: async ({ name, enabled }) => {
      await client.cancelQueries({ queryKey: TOOLS });
      const before = client.getQueryData<Tool[]>(TOOLS);
      client.setQueryData<Tool[]>(TOOLS, (tools) => tools?.map((tool) => (tool.name === name ? { ...tool, enabled } : tool)));
      return { before };
    },
    onError: (_fault, _wish, context) => client.setQueryData(TOOLS, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: TOOLS }),
  });
}
