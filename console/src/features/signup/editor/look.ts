/** The theme of a page: tokens that aren't set are the base's. */

import { BASE, type Theme } from "@/ui/tokens/tokens";

export function completeTheme(tokens: Readonly<Record<string, unknown>>): Theme {
  const own = Object.entries(tokens).filter(([token, value]) => token in BASE && typeof value === typeof BASE[token as keyof Theme]);
  return { ...BASE, ...Object.fromEntries(own) };
}

export const assetUrl = (id: unknown): string | undefined => (typeof id === "string" && id ? `/api/beta/asset/${id}` : undefined);
