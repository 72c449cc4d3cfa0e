/** Keeps the end of a growing text in view, for those who are at the end. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";

/** Closer than this is at the end. */
const NEAR = 80;

export function useStick(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>, place: string): { isAway: boolean; toEnd: () => void } {
  const isAtEnd = useRef(true);
  const [isAway, setIsAway] = useState(false);
  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setIsAway(false);
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller]);

  // A conversation opens at its end.
  useLayoutEffect(toEnd, [toEnd, place]);

  useEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return;
    const look = (): void => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      setIsAway(!isAtEnd.current);
    };
    const watch = new ResizeObserver(() => (isAtEnd.current ? toEnd() : look()));
    watch.observe(content.current);
    watch.observe(box);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [scroller, content, toEnd]);
  return { isAway, toEnd };
}
