/** The list stands where it stood, and its note keeps the focus, when another address shows it anew. */

import { useEffect, useLayoutEffect, type RefObject } from "react";

let place = 0;
let wasFocused = false;

export function useSamePlace(pane: RefObject<HTMLElement | null>, ready: boolean): void {
  useLayoutEffect(() => {
    const list = pane.current;
    if (!ready || !list) return;
    list.scrollTop = place;
    if (wasFocused && document.activeElement === document.body) {
      const find = (which: string) => list.querySelector<HTMLElement>(`[data-note]${which}`);
      const open = find("[aria-current]") ?? find("[tabindex='0']");
      if (open?.checkVisibility()) open.focus({ preventScroll: true });
    }
    wasFocused = false;
  }, [pane, ready]);

  useEffect(() => {
    const list = pane.current;
    if (!list) return;
    const note = (): void => void (place = list.scrollTop);
    list.addEventListener("scroll", note, { passive: true });
    return () => {
      list.removeEventListener("scroll", note);
    };
  }, [pane]);

  useLayoutEffect(() => {
    const list = pane.current;
    return () => {
      wasFocused = list?.contains(document.activeElement) ?? false;
    };
  }, [pane]);
}
