/** Arrow keys for a list: from the filter into it, along it, and into it when nothing has focus. */

import { useWindowEvent } from "@mantine/hooks";
import type { KeyboardEvent, RefObject } from "react";

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
};

export function useListKeys(pane: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  const links = (): HTMLElement[] => [...(pane.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];

  useWindowEvent("keydown", (event) => {
    const nowhere = document.activeElement === document.body || document.activeElement?.id === "content";
    if (event.key !== "ArrowDown" || !nowhere || event.defaultPrevented) return;
    const all = links();
    const entry = all.find((link) => link.tabIndex === 0) ?? all[0];
    if (!entry?.checkVisibility()) return;
    event.preventDefault();
    entry.focus();
  });

  return (event) => {
    const step = STEPS[event.key];
    const target = event.target as HTMLElement;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = links();
    const at = all.indexOf(target);
    if (target instanceof HTMLInputElement && target.type === "search") {
      if (event.key !== "ArrowDown" && event.key !== "Enter") return;
      event.preventDefault();
      if (event.key === "Enter") all[0]?.click();
      else all[0]?.focus();
    } else if (step && at >= 0) {
      event.preventDefault();
      const next = step(at, all.length - 1);
      if (next < 0) pane.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
      else all[next]?.focus();
    }
  };
}
