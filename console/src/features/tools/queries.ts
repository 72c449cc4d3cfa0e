/** API queries for tools. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";

export type Tool = Schemas["TeamTool"];

const TOOLS = ["tools"] as const;

export function useTools() {
  return useQuery({ queryKey: TOOLS, queryFn: async () => (await answer(api.GET("/api/tools"))).items });
}

/** A page of events: a call has two, and is shown as one. */
const EVENTS = 40;

export function useToolEvents(tool: string) {
  const query = { action: "tool.", target: tool, limit: EVENTS };
  return useQuery({
    queryKey: ["tools", tool, "events"],
    queryFn: async () => (await answer(api.GET("/api/audit", { params: { query } }))).items,
    staleTime: 0,
  });
}

/** The pin stands for the description and arguments that were read: a tool that changed since then stays off. */
type Wish = Pick<Tool, "name" | "enabled" | "pin">;

/** Optimistic update, rolled back on error. */
export function useSwitch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, enabled, pin }: Wish) =>
      answer(api.POST("/api/tools/{name}", { params: { path: { name } }, body: { enabled, pin } })),
    onMutate: async ({ name, enabled }) => {
      await client.cancelQueries({ queryKey: TOOLS, exact: true });
      const before = client.getQueryData<Tool[]>(TOOLS);
      client.setQueryData<Tool[]>(TOOLS, (tools) => tools?.map((tool) => (tool.name === name ? { ...tool, enabled, changed: false } : tool)));
      return { before };
    },
    onError: (_fault, _wish, context) => client.setQueryData(TOOLS, context?.before),
    onSettled: () => client.invalidateQueries({ queryKey: TOOLS }),
  });
}
