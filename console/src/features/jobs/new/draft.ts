/** What somebody began to ask, kept in this browser until it is asked. */

export interface Draft extends Record<string, unknown> {
  prompt: string;
  /** As the choice of it has it. */
  priority: string;
  /** As the field has it, in local time; empty is at once. */
  run_at: string;
  /** Empty is wherever it fits. */
  executor: string;
}

export const NOTHING: Draft = { prompt: "", priority: "1", run_at: "", executor: "" };

type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** One person's: on a shared computer nobody is offered the words of somebody else. */
const keyOf = (userId: string): string => `teamspace.draft.job.${userId}`;

/** A time that has passed meanwhile is none any more. */
export function found(userId: string, shelf: Shelf, now = Date.now()): Draft {
  const kept = parsed(shelf, keyOf(userId));
  const late = !(new Date(kept.run_at).getTime() > now);
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
    // A browser that is full, or forbids it, keeps nothing; the words are still in the field.
  }
}
