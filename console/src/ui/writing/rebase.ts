/** My changes on top of someone else's. */

import { LONGEST_TITLE, type Manner, type Written } from "./text";
import { weave } from "./weave";

/** My text rebased onto theirs; null if we both changed the same words. */
export function rebase<Text extends Written>(manner: Manner<Text>, base: Text, mine: Text, theirs: Text): Text | null {
  const text: Partial<Written> = {};
  for (const field of ["title", "body"] as const) {
    // The server trims titles: surrounding whitespace isn't a change.
    const bare = (text: Written): string => (field === "title" ? text.title.trim() : text.body);
    const [was, ours, yours] = [bare(base), bare(mine), bare(theirs)];
    if (ours === was) text[field] = theirs[field];
    else if (yours === was || yours === ours) text[field] = mine[field];
    else {
      const woven = weave(was, ours, yours);
      if (woven === null || (field === "title" && woven.length > LONGEST_TITLE)) return null;
      text[field] = woven;
    }
  }
  const result = { ...mine, ...text, ...manner.mergeLabels(base, mine, theirs) };
  return manner.same(result, mine) ? mine : result;
}
