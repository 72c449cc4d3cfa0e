/** Keys of the review queue: A or Ctrl+Enter approves, R sends back, J and K go on and back. */

import { useWindowEvent } from "@mantine/hooks";

interface Keys {
  approve: () => unknown;
  sendBack: () => unknown;
  step: (by: number) => unknown;
}

/** Where letters are text, or belong to something else. */
const OTHERS = "input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]";

export function useReviewKeys({ approve, sendBack, step }: Keys): void {
  useWindowEvent("keydown", (event) => {
    const target = event.target;
    if (event.defaultPrevented || event.altKey || event.shiftKey || (target instanceof HTMLElement && target.closest(OTHERS))) return;
    const isControl = event.ctrlKey || event.metaKey;
    const perform = isControl ? event.key === "Enter" && approve : { a: approve, r: sendBack, j: () => step(1), k: () => step(-1) }[event.key];
    if (!perform) return;
    event.preventDefault();
    perform();
  });
}
