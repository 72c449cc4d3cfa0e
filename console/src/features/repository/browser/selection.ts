/** Selected entries and the one that has the focus: by keys, clicks and checkboxes, as in a file manager. */

export interface Selection {
  chosen: ReadonlySet<string>;
  /** Where a range starts. */
  anchor: string | null;
  /** The entry that Tab reaches. */
  active: string | null;
}

export const NOTHING: Selection = { chosen: new Set(), anchor: null, active: null };

/** Only this entry. */
export const only = (id: string): Selection => ({ chosen: new Set([id]), anchor: id, active: id });

/** Moves the focus, and leaves what is selected. */
export const focused = (selection: Selection, id: string): Selection => ({ ...selection, active: id });

export function toggled({ chosen }: Selection, id: string): Selection {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return { chosen: next, anchor: id, active: id };
}

/** Everything from the anchor to this entry. */
export function extended(selection: Selection, ids: readonly string[], id: string): Selection {
  const anchor = selection.anchor !== null && ids.includes(selection.anchor) ? selection.anchor : (selection.active ?? id);
  const [one, other] = [ids.indexOf(anchor), ids.indexOf(id)];
  const range = ids.slice(Math.max(0, Math.min(one, other)), Math.max(one, other) + 1);
  return { chosen: new Set(range), anchor, active: id };
}

export const all = (selection: Selection, ids: readonly string[]): Selection => ({ ...selection, chosen: new Set(ids) });

export const none = (selection: Selection): Selection => ({ ...selection, chosen: new Set(), anchor: null });

/** Without what is gone. */
export function kept(selection: Selection, ids: ReadonlySet<string>): Selection {
  if ([...selection.chosen].every((id) => ids.has(id)) && (selection.active === null || ids.has(selection.active))) return selection;
  const has = (id: string | null): id is string => id !== null && ids.has(id);
  return {
    chosen: new Set([...selection.chosen].filter((id) => ids.has(id))),
    anchor: has(selection.anchor) ? selection.anchor : null,
    active: has(selection.active) ? selection.active : null,
  };
}

/** The active entry, or the one that has taken its place at `last`. */
export const successor = (ids: readonly string[], active: string | null, last: number): string | undefined =>
  active !== null && ids.includes(active) ? active : ids[Math.min(last, ids.length - 1)];

/** Index that a key moves to from another; undefined for other keys. `columns` entries are side by side, `page` rows in sight. */
export function moved(key: string, from: number, count: number, columns = 1, page = 10): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: from + columns, ArrowUp: from - columns, Home: 0, End: count - 1, PageDown: from + page * columns, PageUp: from - page * columns,
    ...(columns > 1 && { ArrowRight: from + 1, ArrowLeft: from - 1 }),
  };
  const to = steps[key];
  if (to === undefined || count === 0) return undefined;
  if (columns > 1 && (to < 0 || to >= count) && (key === "ArrowDown" || key === "ArrowUp")) return from;
  return Math.max(0, Math.min(count - 1, to));
}
