/** Where tools come from, and what people call it. */

import { byName, t } from "@/i18n";

import type { Tool } from "./queries";

export const SHIPPED = "shipped";

export interface Source {
  title: string;
  words: string;
  /** The screen about it. */
  to?: string;
}

export function sourceOf(source: string): Source {
  if (source === SHIPPED) return { title: t("tools.source.shipped"), words: t("tools.source.shipped.words") };
  const [kind, name = ""] = split(source);
  if (kind === "mcp") return { title: name, words: t("tools.source.mcp.words"), to: "/settings/instance/mcp" };
  if (kind === "oop") return { title: name, words: t("tools.source.sandboxed.words"), to: "/settings/instance/sandboxed" };
  return { title: source, words: t("tools.source.plugin.words"), to: `/settings/instance/plugins/${source}` };
}

/** `mcp:files` is the server `files`; a plugin's source is its id. */
function split(source: string): [kind: string, name?: string] {
  const colon = source.indexOf(":");
  return colon < 0 ? ["plugin"] : [source.slice(0, colon), source.slice(colon + 1)];
}

/** Built-in tools first, then the others by name. */
export function bySource(tools: readonly Tool[]): [source: string, tools: Tool[]][] {
  const sources = [...new Set(tools.map((tool) => tool.source))].sort(
    (one, other) => Number(other === SHIPPED) - Number(one === SHIPPED) || byName(one, other),
  );
  return sources.map((source) => [source, tools.filter((tool) => tool.source === source)]);
}
