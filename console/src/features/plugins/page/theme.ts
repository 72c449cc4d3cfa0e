/** The theme as a plugin's page gets it: the variables that are in force now. */

import { useMemo, useSyncExternalStore } from "react";

import { useBrand } from "@/theme/brand";

import type { Theme } from "./bridge";

const VARIABLES = [
  "--background", "--surface", "--text", "--text-muted", "--border", "--edge", "--accent", "--accent-text", "--link", "--focus",
  "--danger", "--success", "--warning", "--radius", "--font", "--mono",
] as const; // prettier-ignore
const SCHEME = "data-mantine-color-scheme";

export function useTheme(): Theme {
  useBrand(); // looks again when the brand changes
  const current = useSyncExternalStore(onScheme, snapshot);
  return useMemo(() => JSON.parse(current) as Theme, [current]);
}

function onScheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: [SCHEME] });
  return () => watch.disconnect();
}

function snapshot(): string {
  const page = document.documentElement;
  const style = getComputedStyle(page);
  const scheme = page.getAttribute(SCHEME) === "dark" ? "dark" : "light";
  const variables = Object.fromEntries(VARIABLES.map((name) => [name, style.getPropertyValue(name).trim()]));
  return JSON.stringify({ scheme, variables } satisfies Theme);
}
