/** Keys, clicks and focus of a grid of entries. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from "react";

import { useEntryActions } from "../actions";
import type { Entry } from "./entries";
import type { MenuPlace } from "./EntryMenu";
import { all, extended, focused, moved, none, only, toggled, type Selection } from "./selection";

interface Grid {
  grid: RefObject<HTMLElement | null>;
  entries: readonly Entry[];
  columns: number;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** Brings an entry into sight. */
  reveal: (index: number) => void;
}

const INNER = "a, button, input, label";

export function useGrid({ grid, entries, columns, selection, onSelection, reveal }: Grid) {
  const go = useNavigate();
  const actions = useEntryActions();
  const wanted = useRef<string | null>(null);
  const [menu, setMenu] = useState<MenuPlace>();
  const ids = useMemo(() => entries.map(({ id }) => id), [entries]);
  const active = Math.max(0, selection.active === null ? 0 : ids.indexOf(selection.active));
  // The entry may come into the page only after this render.
  useEffect(() => {
    if (wanted.current === null) return;
    const found = grid.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(wanted.current)}"]`);
    if (!found) return;
    wanted.current = null;
    found.focus({ preventScroll: true });
  });
  const chosen = (entry: Entry): Entry[] => (selection.chosen.has(entry.id) ? entries.filter(({ id }) => selection.chosen.has(id)) : [entry]);
  const open = (entry: Entry): void =>
    void (entry.isFolder ? go({ to: "/files", search: { in: entry.key } }) : go({ to: "/files/$id", params: { id: entry.id } }));

  function move(event: KeyboardEvent): boolean {
    const to = moved(event.key, active, entries.length, columns);
    const id = to === undefined ? undefined : ids[to];
    if (to === undefined || id === undefined || event.altKey) return false;
    wanted.current = id;
    reveal(to);
    onSelection(event.shiftKey ? extended(selection, ids, id) : focused(selection, id));
    return true;
  }

  function act(event: KeyboardEvent, entry: Entry): boolean {
    const onEntry = (event.target as HTMLElement).matches("[data-entry]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") onSelection(all(selection, ids));
    else if (event.key === "Escape" && selection.chosen.size > 0) onSelection(none(selection));
    else if (event.key === "F2" && actions.may("rename", [entry])) actions.ask("rename", [entry]);
    else if (event.key === "Delete" && actions.may("delete", chosen(entry))) actions.ask("delete", chosen(entry));
    else if (event.key === "Enter" && onEntry) open(entry);
    else if (event.key === " " && onEntry) onSelection(toggled(selection, entry.id));
    else if ((event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) && onEntry) menuOf(event.target as HTMLElement)?.click();
    else return false;
    return true;
  }

  const latest: GridHandlers = {
    focus: (entry) => selection.active !== entry.id && onSelection(focused(selection, entry.id)),
    click: (entry, event) => {
      if (!isOwn(event)) return;
      if (event.shiftKey) onSelection(extended(selection, ids, entry.id));
      else onSelection(event.ctrlKey || event.metaKey ? toggled(selection, entry.id) : only(entry.id));
    },
    open: (entry, event) => isOwn(event) && open(entry),
    check: (entry, range) => onSelection(range ? extended(selection, ids, entry.id) : toggled(selection, entry.id)),
    chosen,
  };
  return {
    onKeyDown(event: KeyboardEvent): void {
      // Keys in a menu bubble here from its portal.
      const here = event.target as HTMLElement;
      if (!event.currentTarget.contains(here) || here.closest("[role=columnheader], [role=toolbar]")) return;
      const entry = entries[active];
      if (!entry || !(move(event) || act(event, entry))) return;
      event.preventDefault();
      event.stopPropagation();
    },
    onContextMenu(event: MouseEvent): void {
      const id = (event.target as HTMLElement).closest<HTMLElement>("[data-entry]")?.dataset.entry;
      const entry = entries.find((each) => each.id === id);
      if (!entry || !event.currentTarget.contains(event.target as Node)) return;
      event.preventDefault();
      onSelection(focused(selection, entry.id));
      setMenu({ entry, x: event.clientX, y: event.clientY });
    },
    menu: menu && { ...menu, onClose: () => setMenu(undefined) },
    on: useStable(latest),
    checkAll: () => onSelection(selection.chosen.size === ids.length ? none(selection) : all(selection, ids)),
    active,
  };
}

/** Of one entry; the same object in every render, so that rows needn't render again. */
export interface GridHandlers {
  focus: (entry: Entry) => void;
  click: (entry: Entry, event: MouseEvent) => void;
  open: (entry: Entry, event: MouseEvent) => void;
  /** By its checkbox. */
  check: (entry: Entry, range: boolean) => void;
  /** What an action on it is about: all that is selected, if it is among them. */
  chosen: (entry: Entry) => readonly Entry[];
}

function useStable(latest: GridHandlers): GridHandlers {
  const now = useRef(latest);
  // Before the effect that moves the focus, which calls these.
  useLayoutEffect(() => {
    now.current = latest;
  });
  const [stable] = useState<GridHandlers>(() => ({
    focus: (entry) => now.current.focus(entry),
    click: (entry, event) => now.current.click(entry, event),
    open: (entry, event) => now.current.open(entry, event),
    check: (entry, range) => now.current.check(entry, range),
    chosen: (entry) => now.current.chosen(entry),
  }));
  return stable;
}

/** Not on a control in the entry, and not in a portal. */
const isOwn = ({ currentTarget, target }: MouseEvent): boolean =>
  currentTarget.contains(target as Node) && (target as HTMLElement).closest(INNER) === null;

const menuOf = (entry: HTMLElement): HTMLElement | null => entry.querySelector<HTMLElement>("button[aria-haspopup=menu]");
