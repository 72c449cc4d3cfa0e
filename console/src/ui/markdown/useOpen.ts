/** Opens the address of a link: things of this console here, everything else in a window of its own. */

import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";

import { ownPlace, safeAddress } from "./addresses";

/** Screens of own things; people have none. */
const SCREENS = { notes: "/notes/$id", documents: "/documents/$id", files: "/files/$id", people: undefined } as const;

export function screenOf(address: string): { to: string; id: string } | undefined {
  const place = ownPlace(address);
  const to = place && SCREENS[place.kind];
  return place && to ? { to, id: place.id } : undefined;
}

export function useOpen(): (address: string) => void {
  const router = useRouter({ warn: false });
  return useCallback(
    (address) => {
      const screen = screenOf(address);
      const safe = safeAddress(address);
      if (screen) void router?.navigate({ to: screen.to, params: { id: screen.id } });
      else if (safe && !ownPlace(safe) && !safe.startsWith("#")) window.open(safe, "_blank", "noopener,noreferrer");
    },
    [router],
  );
}
