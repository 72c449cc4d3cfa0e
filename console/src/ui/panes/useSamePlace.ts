/** Keeps a list's scroll position and the focus on its open row across navigation. */

import { useEffect, useLayoutEffect, type RefObject } from "react";

/** By list name. */
const places = new Map<string, number>();
let wasFocused = false;

export function useSamePlace(name: string, pane: RefObject<HTMLElement | null>, ready: boolean): void {
  useLayoutEffect(() => {
    const list = pane.current;
    if (!ready || !list) return;
    list.scrollTop = places.get(name) ?? 0;
    if (wasFocused && document.activeElement === document.body) {
      const find = (which: string) => list.querySelector<HTMLElement>(`[data-row]${which}`);
      const open = find("[aria-current]") ?? find("[tabindex='0']");
      if (open?.checkVisibility()) open.focus({ preventScroll: true });
    }
    wasFocused = false;
  }, [name, pane, ready]);

  useEffect(() => {
    const list = pane.current;
    if (!list) return;
    const note = (): void => void places.set(name, list.scrollTop);
    list.addEventListener("scroll", note, { passive: true });
    return () => {
      list.removeEventListener("scroll", note);
    };
  }, [name, pane]);

  useLayoutEffect(() => {
    const list = pane.current;
    return () => {
      wasFocused = list?.contains(document.activeElement) ?? false;
    };
  }, [pane]);
}
