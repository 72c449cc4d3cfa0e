/** Refetches what changed on the server: gathers changes for a moment, and waits while the tab is hidden. */

import type { Query, QueryClient } from "@tanstack/react-query";

import { followServer, type Change, type Follower } from "@/api/live";
import { chatFreshness } from "@/features/chat/keys";
import { companyFreshness } from "@/features/company/keys";
import { documentFreshness } from "@/features/documents/keys";
import { homeFreshness } from "@/features/home/keys";
import { jobFreshness } from "@/features/jobs/keys";
import { knowledgeFreshness } from "@/features/knowledge/keys";
import { linkFreshness } from "@/features/links/keys";
import { localizationFreshness } from "@/features/localization/keys";
import { memberFreshness } from "@/features/members/keys";
import { noteFreshness } from "@/features/notes/keys";
import { fileFreshness } from "@/features/repository/keys";
import { searchFreshness } from "@/features/search/keys";
import { signUpFreshness } from "@/features/signup/keys";
import { trashFreshness } from "@/features/trash/keys";
import { usageFreshness } from "@/features/usage/keys";
import { workflowFreshness } from "@/features/workflows/keys";
import { freshness, type Freshness, type Stale } from "@/navigation/freshness";
import { SHORTCUT_KEYS, SHORTCUT_SUBJECTS } from "@/ui/shortcuts/keys";

export const FRESHNESS: readonly Freshness[] = [
  ...noteFreshness,
  ...fileFreshness,
  ...documentFreshness,
  ...chatFreshness,
  ...knowledgeFreshness,
  ...searchFreshness,
  ...homeFreshness,
  ...jobFreshness,
  ...trashFreshness,
  ...linkFreshness,
  ...usageFreshness,
  ...memberFreshness,
  ...companyFreshness,
  ...workflowFreshness,
  ...localizationFreshness,
  ...signUpFreshness,
  ...SHORTCUT_SUBJECTS.map((type) => freshness(type, () => SHORTCUT_KEYS)),
];

/** Keeps what is on screen as it is on the server. */
export function keepFresh(queries: QueryClient): void {
  const refresher = new Refresher(queries);
  document.addEventListener("visibilitychange", refresher.onShown);
  followServer(refresher);
}

/** Changes that come together are fetched together. */
export const GATHER_MS = 150;
/** The least time between two refetches while changes keep coming. */
export const SPACING_MS = 600;
/** A refetch that takes longer doesn't hold up the next. */
const LONGEST_MS = 10_000;
/** More than these can't be told apart from a gap. */
const MOST = 100;

export class Refresher implements Follower {
  readonly #queries: QueryClient;
  readonly #table: readonly Freshness[];
  readonly #roots: Set<unknown>;
  readonly #stale = new Map<string, Stale>();
  readonly #uncertain = new Set<Query>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #doneAt = -Infinity;

  constructor(queries: QueryClient, table: readonly Freshness[] = FRESHNESS) {
    this.#queries = queries;
    this.#table = table;
    this.#roots = new Set(table.flatMap((row) => row.stale("").map(({ queryKey }) => queryKey[0])));
  }

  onChange = ({ type, id }: Change): void => {
    for (const row of this.#table) {
      if (row.type !== type) continue;
      for (const stale of row.stale(id)) this.#stale.set(JSON.stringify(stale), stale);
    }
    if (this.#stale.size > MOST) this.onGap();
    else this.#plan();
  };

  onGap = (): void => {
    this.#stale.clear();
    this.#doubt(({ queryKey }) => this.#roots.has(queryKey[0]));
  };

  onReset = (): void => this.#doubt(() => true);

  /** The tab is shown again. */
  onShown = (): void => this.#plan();

  /** Of what has been asked for until now; what is asked for later is as certain as the stream. */
  #doubt(predicate: (query: Query) => boolean): void {
    for (const query of this.#queries.getQueryCache().findAll({ predicate })) this.#uncertain.add(query);
    this.#plan();
  }

  #plan(): void {
    const isIdle = this.#stale.size === 0 && this.#uncertain.size === 0;
    if (isIdle || this.#timer !== undefined || this.#running || isHidden()) return;
    const wait = Math.max(GATHER_MS, this.#doneAt + SPACING_MS - Date.now());
    this.#timer = setTimeout(() => void this.#refetch(), wait);
  }

  async #refetch(): Promise<void> {
    this.#timer = undefined;
    if (isHidden()) return;
    const uncertain = new Set(this.#uncertain);
    const stale = [...this.#stale.values()];
    this.#uncertain.clear();
    this.#stale.clear();
    this.#running = true;
    const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS));
    // Without waiting, the next refetch would cancel this one, and again, for as long as changes come.
    await Promise.race([this.#invalidate(stale, uncertain), late]);
    this.#running = false;
    this.#doneAt = Date.now();
    this.#plan();
  }

  #invalidate(stale: readonly Stale[], uncertain: ReadonlySet<Query>): Promise<unknown> {
    const filters = stale.map((filter) => ({ ...filter, predicate: (query: Query) => !uncertain.has(query) }));
    return Promise.all([...filters, { predicate: (query: Query) => uncertain.has(query) }].map((filter) => this.#queries.invalidateQueries(filter)));
  }
}

const isHidden = (): boolean => document.visibilityState === "hidden";
