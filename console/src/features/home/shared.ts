/** What others shared. */

/** Each thing once, by its newest share: what is shared with a person and with their team can be on two pages. */
export function newestOfEach<Item extends { id: string }>(newestFirst: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ id }) => !seen.has(id) && seen.add(id));
}
