/** Which titles match what was typed, and which of them best. */

/** 0 is the title itself, 1 its beginning, 2 any other part, beginnings of its words, or its initials: `nn` finds `New note`. */
export function rankOf(query: string, title: string): number | undefined {
  const [asked, text] = [plain(query), plain(title)];
  if (text === asked) return 0;
  if (text.startsWith(asked)) return 1;
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u);
  const begins = (part: string): boolean => words.some((word) => word.startsWith(part));
  const initials = words.map((word) => word.charAt(0)).join("");
  return text.includes(asked) || asked.split(" ").every(begins) || initials.startsWith(asked) ? 2 : undefined;
}

const plain = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, " ");

/** Those that match, the best first; without a query all of them, as they are. */
export function matching<Thing>(query: string, things: readonly Thing[], titleOf: (thing: Thing) => string): Thing[] {
  if (query === "") return [...things];
  return things
    .flatMap((thing) => {
      const rank = rankOf(query, titleOf(thing));
      return rank === undefined ? [] : [{ thing, rank }];
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ thing }) => thing);
}
