/** What was added to the server: plugins, MCP servers and sandboxed plugins. Everyone can see them. */

import { useQuery } from "@tanstack/react-query";

import { answer, api, type Schemas } from "./client";

export type Plugin = Schemas["PluginReport"];
export type McpServer = Schemas["McpReport"];
export type SandboxedPlugin = Schemas["SandboxedPlugin"];
export type Capability = Schemas["CapabilityUse"];
export type SandboxTier = NonNullable<SandboxedPlugin["sandbox"]>;

export const SANDBOXED = ["sandboxed"] as const;

/** Milliseconds between two looks at what may change by itself. */
const SOON = 3_000;
const LATER = 30_000;

export function usePlugins() {
  return useQuery({ queryKey: ["plugins"], queryFn: async () => (await answer(api.GET("/api/plugins"))).items, staleTime: 60_000 });
}

export function useMcpServers() {
  return useQuery({
    queryKey: ["mcp"],
    queryFn: async () => (await answer(api.GET("/api/mcp"))).items,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some((server) => server.state === "connecting") ? SOON : LATER),
  });
}

export function useSandboxedPlugins() {
  return useQuery({
    queryKey: SANDBOXED,
    queryFn: async () => (await answer(api.GET("/api/oop"))).items,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some((plugin) => ["starting", "waiting"].includes(plugin.state)) ? SOON : LATER),
  });
}
