/** Which runs to start again so that files are up to date. */

import type { ReadableRun, Relative, RunDetail, TextChanges } from "./shapes";

export interface Staleness {
  /** Sources that have changed, each once. */
  sources: { id: string; key: string; filename: string; from: number; to: number; changes: TextChanges | null }[];
  /** Derived files that are out of date. */
  derived: Relative[];
  /** The runs that made what is out of date. */
  runs: string[];
}

interface Input {
  sources: readonly Relative[];
  derived: readonly Relative[];
}

export function stalenessOf({ sources, derived }: Input): Staleness {
  const stale = { sources: sources.filter((one) => one.stale), derived: derived.filter((one) => one.stale) };
  const all = [...stale.sources, ...stale.derived];
  const changed = all.flatMap(changedSourcesOf);
  return {
    sources: changed.filter((one, place) => place === changed.findIndex((other) => other.id === one.id && other.from === one.from)),
    derived: stale.derived,
    runs: [...new Set(all.flatMap(({ run_id: run }) => (run ? [run] : [])))],
  };
}

/** The server compares the text of the first, on which the others depend. */
function changedSourcesOf({ changed_sources: sources, changes = null }: Relative): Staleness["sources"] {
  return sources.map(({ id, key, source_version: from, current_source_version: to }, place) => ({
    id, key, from, to, filename: key.split("/").at(-1) ?? key, changes: place === 0 ? changes : null,
  })); // prettier-ignore
}

/** Several runs of the same workflow with the same input are started once; one that is running isn't started again, nor one
 * whose input is too long to be sent.
 */
export function repeatable(runs: readonly RunDetail[]): ReadableRun[] {
  const full = runs.filter((run): run is ReadableRun => run.view === "full" && run.state !== "running" && !isTruncated(run.input));
  const likenesses = full.map(({ slug, input }) => `${slug} ${JSON.stringify(input)}`);
  return full.filter((_, place) => likenesses.indexOf(likenesses[place] ?? "") === place);
}

const isTruncated = (input: unknown): boolean => JSON.stringify(input)?.match(/^\{"truncated":\d+\}$/) !== null;
