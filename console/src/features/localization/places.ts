/** Where the console shows a text, as read from its sources at build time (see shown.js). */

import type { MessageKey } from "@/i18n";
import type { Screen } from "@/navigation/tables";

/** Paths of screens, and the keys by namespace of what they show. */
export type ShownTable = readonly (readonly [paths: readonly string[], keys: Readonly<Record<string, readonly string[]>>])[];

export interface Place {
  screen: Screen;
  /** The screen's, or that of the list it belongs to; a screen of one thing has no address of its own. */
  address?: string;
}

/** What is no screen: the whole frame, the pages before sign-in, refusals of the server, or nowhere that is known. */
export type Elsewhere = "everywhere" | "entrance" | "refusals" | "unknown";

export function placesOf({ namespace, key }: { namespace: string; key: string }, table: ShownTable, screens: readonly Screen[]): readonly Place[] | Elsewhere {
  if (namespace === "refusals") return "refusals";
  const paths = table.find(([, keys]) => keys[namespace]?.includes(key))?.[0] ?? [];
  if (paths.includes("*")) return "everywhere";
  const places = paths.flatMap((path) => screens.filter((screen) => screen.path === path)).map((screen) => ({ screen, address: addressOf(screen.path, screens) }));
  const named = places.filter(({ screen }, place) => place === places.findIndex((other) => other.screen.title === screen.title));
  if (named.length > 0) return named;
  return paths.includes("entrance") ? "entrance" : "unknown";
}

/** A screen that can be shown in a frame. */
export interface View {
  address: string;
  title: MessageKey;
  entrance: boolean;
}

/** What is everywhere is shown on the first screen; refusals and screens without an address aren't shown. */
export function viewsOf(places: readonly Place[] | Elsewhere): View[] {
  if (places === "everywhere") return [{ address: "/", title: "localization.where.everywhere", entrance: false }];
  if (places === "entrance") return [{ address: "/", title: "localization.where.entrance", entrance: true }];
  if (typeof places === "string") return [];
  const views = places.flatMap(({ screen, address }) => (address === undefined ? [] : [{ address, title: screen.title, entrance: false }]));
  return views.filter(({ address }, place) => place === views.findIndex((other) => other.address === address));
}

function addressOf(path: string, screens: readonly Screen[]): string | undefined {
  if (!path.includes("$")) return path;
  const above = path.split("/$")[0] || "/";
  return screens.some((screen) => screen.path === above) ? above : undefined;
}
