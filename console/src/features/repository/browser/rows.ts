/** Rows that are only in the page while they are in sight, in whatever scrolls around them. */

import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useState, type RefObject } from "react";

interface Rows {
  list: RefObject<HTMLElement | null>;
  count: number;
  height: number;
  /** A row that stays in the page, since it has the focus. */
  kept: number;
  /** Height of what sticks to the top. */
  head: number;
}

const OVERSCAN = 8;

export function useRows({ list, count, height, kept, head }: Rows) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const found = list.current && scrollerOf(list.current);
    if (!list.current || !found) return;
    const within = list.current;
    const look = (): void => setMargin(Math.round(within.getBoundingClientRect().top - found.getBoundingClientRect().top + found.scrollTop));
    setScroller(found);
    look();
    // What is above the list can change its height at any time, and so the height of everything.
    const watch = new ResizeObserver(look);
    [...found.children].forEach((child) => watch.observe(child));
    return () => watch.disconnect();
  }, [list]);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: head,
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      return kept < 0 || kept >= count || seen.includes(kept) ? seen : [...seen, kept].sort((one, other) => one - other);
    },
  });
  // Sizes are remembered by index.
  useLayoutEffect(() => rows.measure(), [rows, height]);
  return rows;
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let each = element.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.documentElement;
}

/** Width of an element, before the first paint too. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const found = element.current;
    if (!found) return;
    const look = (): void => setWidth(found.clientWidth);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(found);
    return () => watch.disconnect();
  }, [element]);
  return width;
}
