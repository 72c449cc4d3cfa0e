/** Stands for a button that is elsewhere: it stays the same element, so that it keeps the focus when its menu comes. */

import { useLayoutEffect, type Ref, type RefObject } from "react";

interface Props {
  target: RefObject<HTMLElement | null>;
  /** Set by what floats beside the button. */
  ref?: Ref<HTMLElement>;
}

export function Anchor({ target, ref }: Props) {
  useLayoutEffect(() => {
    if (typeof ref === "function") ref(target.current);
    else if (ref) ref.current = target.current;
  }, [target, ref]);
  return null;
}
