/** Keys, clicks and focus of a grid of entries. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from "react";

import { useEntryActions, type Deed } from "../actions";
import { DEED_KEYS, pressed } from "../listKeys";
import { depart, useArrival, useUp } from "./arrival";
import type { Entry } from "./entries";
import type { MenuPlace } from "./EntryMenu";
import { useKeptFocus } from "./focus";
import { found, Letters } from "./letters";
import { all, extended, focused, moved, none, only, toggled, type Selection } from "./selection";

interface Grid {
  grid: RefObject<HTMLElement | null>;
  folder: string;
  entries: readonly Entry[];
  columns: number;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** Brings an entry into sight. */
  reveal: (index: number) => void;
}

const INNER = "a, button, input, label";

export function useGrid({ grid, folder, entries, columns, selection, onSelection, reveal }: Grid) {
  const go = useNavigate();
  const up = useUp(folder);
  const actions = useEntryActions();
  const wanted = useRef<string | null>(null);
  const [menu, setMenu] = useState<MenuPlace>();
  const [letters] = useState(() => new Letters());
  const ids = useMemo(() => entries.map(({ id }) => id), [entries]);
  const active = Math.max(0, selection.active === null ? 0 : ids.indexOf(selection.active));
  // The entry may come into the page only after this render.
  useEffect(() => {
    if (wanted.current === null) return;
    const element = grid.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(wanted.current)}"]`);
    if (!element) return;
    wanted.current = null;
    element.focus({ preventScroll: true });
  });
  const keptFocus = useKeptFocus({ grid, ids, active, selection, onSelection, focus: (id) => void (wanted.current = id) });
  const chosen = (entry: Entry): Entry[] => (selection.chosen.has(entry.id) ? entries.filter(({ id }) => selection.chosen.has(id)) : [entry]);
  function open(entry: Entry, byKey = false): void {
    if (!entry.isFolder) return void go({ to: "/files/$id", params: { id: entry.id } });
    if (byKey) depart({ folder: entry.key });
    void go({ to: "/files", search: { in: entry.key } });
  }

  /** Moves the focus; the entry may not be in the page yet. */
  function reach(to: number): string | undefined {
    const id = ids[to];
    if (id === undefined) return undefined;
    wanted.current = id;
    reveal(to);
    return id;
  }

  useArrival(folder, ({ at }) => reach(Math.max(0, at === undefined ? 0 : ids.indexOf(at))));

  function move(event: KeyboardEvent): boolean {
    const to = moved(event.key, active, entries.length, columns);
    const id = to === undefined || event.altKey ? undefined : reach(to);
    if (id === undefined) return false;
    onSelection(event.shiftKey ? extended(selection, ids, id) : focused(selection, id));
    return true;
  }

  function act(event: KeyboardEvent, entry: Entry): boolean {
    const key = pressed(event);
    const deed = key === undefined ? undefined : DEED_KEYS[key];
    if (deed) return perform(deed, deed === "rename" ? [entry] : chosen(entry));
    if (key === "Ctrl A") onSelection(all(selection, ids));
    else if (key === "Escape" && selection.chosen.size > 0) onSelection(none(selection));
    else if (!(event.target as HTMLElement).matches("[data-entry]")) return false;
    else if (key === "Enter") open(entry, true);
    else if (key === "Backspace") up();
    else if (key === "Space" && !letters.isTyping(event.timeStamp)) onSelection(toggled(selection, entry.id));
    else if (key === "ContextMenu" || key === "Shift F10") menuOf(event.target as HTMLElement)?.click();
    else return key !== undefined && !event.shiftKey && type(event);
    return true;
  }

  function perform(deed: Deed, about: readonly Entry[]): boolean {
    if (!actions.may(deed, about)) return false;
    actions.ask(deed, about);
    return true;
  }

  function type({ key, timeStamp, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const typed = ctrlKey || metaKey ? undefined : letters.add(key, timeStamp);
    if (typed === undefined) return false;
    const to = found(entries.map(({ name }) => name), typed, active);
    const id = to === undefined ? undefined : reach(to);
    if (id !== undefined) onSelection(focused(selection, id));
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
    ...keptFocus,
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
      const element = (event.target as HTMLElement).closest<HTMLElement>("[data-entry]");
      const entry = entries.find((each) => each.id === element?.dataset.entry);
      if (!element || !entry || !event.currentTarget.contains(event.target as Node)) return;
      event.preventDefault();
      onSelection(focused(selection, entry.id));
      setMenu({ entry, button: menuOf(element)?.id, x: event.clientX, y: event.clientY });
    },
    menu: menu && {
      ...menu,
      onClose() {
        wanted.current = menu.entry.id;
        setMenu(undefined);
      },
    },
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
