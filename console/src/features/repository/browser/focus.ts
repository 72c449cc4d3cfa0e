/** The focus in a grid whose entries come and go. */

import { useLayoutEffect, useRef, type FocusEvent, type RefObject } from "react";

import { focused, successor, type Selection } from "./selection";

interface Kept {
  grid: RefObject<HTMLElement | null>;
  ids: readonly string[];
  active: number;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  focus: (id: string) => void;
}

/** The focus stays with its entry, and if that is gone, goes to the one that takes its place. */
export function useKeptFocus({ grid, ids, active, selection, onSelection, focus }: Kept) {
  const before = useRef({ ids, active });
  const isWithin = useRef(false);
  // Before the next key, which acts on what is active.
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { ids, active };
    // A tile is removed with the focus on it, which leaves the focus to the page.
    const here = document.activeElement;
    const isHere = here === document.body ? isWithin.current : here !== null && isEntryOf(grid.current, here);
    const id = successor(ids, selection.active, last.active);
    if (last.ids === ids || !isHere || id === undefined) return;
    if (selection.active !== id) onSelection(focused(selection, id));
    // Elements of rows are reused for other entries.
    if (here?.closest<HTMLElement>("[data-entry]")?.dataset.entry !== id) focus(id);
  });
  return {
    onFocus: ({ currentTarget, target }: FocusEvent<HTMLElement>): void => void (isWithin.current = isEntryOf(currentTarget, target)),
    onBlur: (): void => void (isWithin.current = false),
  };
}

const isEntryOf = (grid: HTMLElement | null, element: Element): boolean => grid?.contains(element) === true && element.closest("[data-entry]") !== null;
