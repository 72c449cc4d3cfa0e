/** The settings area: which addresses are in it, and where to go back to. */

import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

export const SETTINGS = "/settings";

export const isSettings = (path: string): boolean => path === SETTINGS || path.startsWith(`${SETTINGS}/`);

interface Area {
  inSettings: boolean;
  /** The last screen outside of settings. */
  outside: { to: string; search: Record<string, unknown> };
}

export function useSettingsArea(): Area {
  const { pathname, search } = useRouterState({ select: (state) => state.location });
  const inSettings = isSettings(pathname);
  const outside = useRef<Area["outside"]>({ to: "/", search: {} });
  useEffect(() => {
    if (!inSettings) outside.current = { to: pathname, search: search as Record<string, unknown> };
  }, [inSettings, pathname, search]);
  return { inSettings, outside: outside.current };
}
