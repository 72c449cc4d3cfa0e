/** Draft of a branding: only changes are sent. */

import { useMemo, useState } from "react";

import type { Schemas } from "@/api/client";

import { readings, type Reading } from "@/ui/tokens/contrast";
import { BASE, same, type Theme } from "@/ui/tokens/tokens";

export interface Look {
  title: string;
  tagline: string;
  /** A URL on this server, a data: URI of a chosen file, or none. */
  logo: string | null;
  theme: Theme;
}

/** As the API takes them: absent fields stay, null resets to the inherited value. */
export interface Changes {
  title?: string | null;
  tagline?: string;
  logo?: string | null;
  theme?: Theme;
}

export interface Draft {
  look: Look;
  changes: Changes;
  changed: boolean;
  readings: Reading[];
  set: (changed: Partial<Omit<Look, "theme">>) => void;
  paint: (changed: Partial<Theme>) => void;
  discard: () => void;
}

export function useDraft(branding: Schemas["Branding"]): Draft {
  const [over, setOver] = useState<Partial<Look>>({});
  return useMemo(() => {
    const there: Look = { ...branding, theme: { ...BASE, ...branding.theme } };
    const look = { ...there, ...over };
    const changes = between(there, look);
    return {
      look,
      changes,
      changed: Object.keys(changes).length > 0,
      readings: readings(look.theme),
      set: (changed) => setOver((before) => ({ ...before, ...changed })),
      paint: (changed) => setOver((before) => ({ ...before, theme: { ...(before.theme ?? there.theme), ...changed } })),
      discard: () => setOver({}),
    };
  }, [branding, over]);
}

/** The theme is sent as a whole, so that no token is inherited. */
export function between(there: Look, look: Look): Changes {
  return {
    ...(look.title.trim() !== there.title && { title: look.title.trim() || null }),
    ...(look.tagline.trim() !== there.tagline && { tagline: look.tagline.trim() }),
    ...(look.logo !== there.logo && { logo: look.logo }),
    ...(!same(look.theme, there.theme) && { theme: look.theme }),
  };
}
