/** The entries of the rail and of the settings menu that the caller can open. */

import { allowed, SCOPES, useTables, type NavEntry, type NavScreen, type Scope } from "@/navigation/tables";
import { useSession } from "@/session";

function useEntries(): NavScreen[] {
  const session = useSession();
  const { screens } = useTables();
  return screens.filter((screen): screen is NavScreen => screen.nav !== undefined && allowed(screen, session));
}

export function useNavGroup(group: NavEntry["group"]): NavScreen[] {
  return useEntries().filter(({ nav }) => nav.group === group);
}

/** The groups of the settings menu; a scope with nothing to open isn't there. */
export function useSettingsGroups(): { scope: Scope; screens: NavScreen[] }[] {
  const entries = useEntries();
  return SCOPES.map((scope) => ({ scope, screens: entries.filter(({ nav }) => nav.group === scope) })).filter(({ screens }) => screens.length > 0);
}
