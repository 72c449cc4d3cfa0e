/** What the box offers: content, what was opened before, places, and actions. */

import { IconArrowRight, IconBolt, IconSearch, type Icon } from "@tabler/icons-react";
import { useNavigate, useRouterState } from "@tanstack/react-router";

import { PICTURES as RESULT_PICTURES } from "@/features/search/kinds";
import { kindOf, placeOf } from "@/features/search/address";
import type { Found } from "@/features/search/queries";
import { t } from "@/i18n";
import { allowed, offered, useTables, type NavEntry } from "@/navigation/tables";
import { useSession } from "@/session";
import { useFavourites, useRecents } from "@/ui/shortcuts/queries";
import { addressOf, isSame, PICTURES, type Shortcut } from "@/ui/shortcuts/shortcuts";

import { matching } from "./matching";

export interface Entry {
  id: string;
  title: string;
  /** Beside the title: its type, or the area it is in. */
  hint?: string;
  /** Below the title: where the words are. */
  snippet?: string;
  icon: Icon;
  keys?: string;
  perform: () => void;
}

export interface Group {
  title: string;
  entries: Entry[];
}

/** Without a word: what the person is likely to want again. */
const AT_FIRST = 8;
const FEW = 5;

function useVisit(): (to: string) => void {
  const go = useNavigate();
  return (to) => void go({ to });
}

export function useShortcutGroups(query: string): Group[] {
  const visit = useVisit();
  const favourites = useFavourites().data ?? [];
  const recents = (useRecents().data ?? []).filter((item) => !favourites.some((other) => isSame(item, other)));
  const most = query === "" ? AT_FIRST : FEW;
  const entriesOf = (items: readonly Shortcut[]): Entry[] =>
    matching(query, items, ({ title }) => title)
      .slice(0, most)
      .map((item) => ({
        id: `box-${item.kind}-${item.id}`,
        title: item.title || t("writing.untitled"),
        hint: t(`favourites.kind.${item.kind}`),
        icon: PICTURES[item.kind],
        perform: () => visit(addressOf(item)),
      }));
  return [
    { title: t("favourites.recents"), entries: entriesOf(recents) },
    { title: t("favourites.title"), entries: entriesOf(favourites) },
  ];
}

export function usePlaceGroups(query: string): Group[] {
  const session = useSession();
  const visit = useVisit();
  const { screens, actions } = useTables();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const places = screens.filter((screen) => allowed(screen, session)).flatMap(({ path: to, title, nav }): Entry[] =>
    nav ? [{ id: `box-${to}`, title: t(title), hint: areaOf(nav), icon: IconArrowRight, keys: nav.keys, perform: () => visit(to) }] : [],
  );
  const named = actions.filter((action) => offered(action, session, path)).map((action): Entry => ({
    id: `box-${action.name}`,
    title: t(action.title),
    icon: IconBolt,
    keys: action.keys,
    perform: () => action.perform(visit),
  }));
  const found = (entries: Entry[]): Entry[] => matching(query, entries, ({ title }) => title);
  return [
    { title: t("box.actions"), entries: found(named) },
    { title: t("box.places"), entries: found(places) },
  ];
}

function areaOf({ group }: NavEntry): string {
  if (group === "main" || group === "foot") return t("shell.workspace");
  return t("settings.scoped", { scope: t(`settings.scope.${group}`) });
}

/** What the server found, and all results of the search. */
export function useFoundGroups(query: string, found: readonly Found[]): Group[] {
  const go = useNavigate();
  const { can } = useSession();
  if (query === "" || !can("search")) return [];
  const entries = found.flatMap((thing): Entry[] => {
    const place = placeOf(thing);
    if (!place) return [];
    return [
      {
        id: `box-found-${thing.type}-${thing.id}`,
        title: thing.title,
        hint: t(`search.one.${kindOf(thing)}`),
        snippet: thing.snippet,
        icon: RESULT_PICTURES[kindOf(thing)],
        perform: () => void go({ to: place, params: { id: thing.id } }),
      },
    ];
  });
  const all: Entry = {
    id: "box-everywhere",
    title: t("palette.search", { query }),
    icon: IconSearch,
    perform: () => void go({ to: "/search", search: { q: query } as never }),
  };
  return [
    { title: t("box.content"), entries },
    { title: t("search.title"), entries: [all] },
  ];
}
