/** What others shared. */

/** Each thing once, by its newest share: what is shared anew while pages are loaded is on two of them. */
export function newestOfEach<Item extends { id: string }>(newestFirst: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ id }) => !seen.has(id) && seen.add(id));
}
