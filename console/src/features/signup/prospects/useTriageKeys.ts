/** Keys of the list: J and K go on and back, A accepts, D declines. */

import { useWindowEvent } from "@mantine/hooks";

interface Keys {
  accept: () => unknown;
  decline: () => unknown;
  step: (by: number) => unknown;
}

/** Where letters are text, or belong to something else. */
const OTHERS = "input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]";

export function useTriageKeys({ accept, decline, step }: Keys): void {
  useWindowEvent("keydown", (event) => {
    const { target } = event;
    const hasModifier = event.altKey || event.shiftKey || event.ctrlKey || event.metaKey;
    if (event.defaultPrevented || event.repeat || hasModifier || (target instanceof HTMLElement && target.closest(OTHERS))) return;
    const perform = { a: accept, d: decline, j: () => step(1), k: () => step(-1) }[event.key];
    if (!perform || document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    perform();
  });
}
