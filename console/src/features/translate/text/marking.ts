/** Where terms are in a text and its translation, and the block of a check in both. */

import { blocksOf, blockWith, type Range } from "../blocks";
import { termsIn } from "../marks";
import type { TextOutcome } from "../outcomes";
import type { FailedCheck } from "../queries";

interface Marks {
  terms: readonly Range[];
  block?: Range;
}

export const NO_MARKS: { source: Marks; result: Marks } = { source: { terms: [] }, result: { terms: [] } };

export function marksOf({ asked, translation, hits }: TextOutcome, shown?: FailedCheck): typeof NO_MARKS {
  const [sourceBlocks, resultBlocks] = [blocksOf(asked), blocksOf(translation)];
  const place = shown ? blockWith(shown.excerpt, asked, sourceBlocks) : -1;
  // The translation has the same blocks, unless the model changed its lines.
  const isAligned = sourceBlocks.length === resultBlocks.length;
  return {
    source: { terms: termsIn(asked, hits.map(({ term }) => term)), block: sourceBlocks[place] },
    result: { terms: termsIn(translation, hits.map((hit) => hit.translation), true), block: isAligned ? resultBlocks[place] : undefined },
  };
}
