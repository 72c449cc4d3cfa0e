/** A conversation is a tree: every edited prompt and every further answer is a branch. */

import type { Turn } from "./api";

/** Through a turn: everything that led to it, and what followed it last. Without a turn, through the newest. */
export function pathThrough(turns: readonly Turn[], at?: string): Turn[] {
  const known = new Map(turns.map((turn) => [turn.id, turn]));
  const middle = (at !== undefined && known.get(at)) || turns.at(-1);
  if (!middle) return [];
  const before: Turn[] = [];
  const seen = new Set<string>();
  for (let turn: Turn | undefined = middle; turn && !seen.has(turn.id); turn = known.get(turn.parent_id ?? "")) {
    seen.add(turn.id);
    before.unshift(turn);
  }
  const after: Turn[] = [];
  for (let turn = lastChild(turns, middle.id); turn && !seen.has(turn.id); turn = lastChild(turns, turn.id)) {
    seen.add(turn.id);
    after.push(turn);
  }
  return [...before, ...after];
}

const lastChild = (turns: readonly Turn[], id: string): Turn | undefined => turns.findLast((turn) => turn.parent_id === id);

/** The versions of a prompt, or the answers to one, oldest first. */
export function siblingsOf(turns: readonly Turn[], { parent_id: parent, role }: Turn): Turn[] {
  return turns.filter((turn) => turn.parent_id === parent && turn.role === role);
}
