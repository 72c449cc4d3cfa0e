/** Draft of a question, stored in this browser until it's asked. */

import { instantOf } from "@/i18n";

export interface Draft extends Record<string, unknown> {
  prompt: string;
  /** As the select has it. */
  priority: string;
  /** As the input has it, in the person's time zone; empty means now. */
  run_at: string;
  /** Empty means any. */
  executor: string;
}

export const NOTHING: Draft = { prompt: "", priority: "1", run_at: "", executor: "" };

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Per person: on a shared computer nobody sees someone else's draft. */
const keyOf = (userId: string): string => `teamspace.draft.job.${userId}`;

/** A start time in the past is dropped. */
export function found(userId: string, shelf: Shelf, now = Date.now()): Draft {
  const kept = parsed(shelf, keyOf(userId));
  const late = !(instantOf(kept.run_at) > now);
  return { ...kept, run_at: late ? "" : kept.run_at };
}

function parsed(shelf: Shelf, key: string): Draft {
  try {
    const kept = JSON.parse(shelf.getItem(key) ?? "{}") as Partial<Draft>;
    const text = (name: keyof typeof NOTHING): string => (typeof kept[name] === "string" ? kept[name] : String(NOTHING[name]));
    return { prompt: text("prompt"), priority: text("priority"), run_at: text("run_at"), executor: text("executor") };
  } catch {
    return NOTHING;
  }
}

export function keep(userId: string, draft: Draft, shelf: Shelf): void {
  try {
    if (draft.prompt.trim()) shelf.setItem(keyOf(userId), JSON.stringify(draft));
    else shelf.removeItem(keyOf(userId));
  } catch {
    // Storage full or blocked: the text is still in the field.
  }
}
