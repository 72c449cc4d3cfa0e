/** A button whose menu or panel is loaded when somebody is about to open it. */

import { useId, useRef, useState, type RefObject } from "react";

/** For the floating part, once it is loaded. */
export interface Late {
  id: string;
  opened: boolean;
  onChange: (opened: boolean) => void;
  target: RefObject<HTMLButtonElement | null>;
}

export function useLate(load: () => Promise<unknown>, popup: "menu" | "dialog") {
  const id = useId();
  const target = useRef<HTMLButtonElement>(null);
  const [opened, onChange] = useState(false);
  const [wanted, setWanted] = useState(false);
  const expect = (): void => void load().catch(() => undefined);
  if (opened && !wanted) setWanted(true);
  const button = {
    ref: target,
    id,
    "aria-haspopup": popup,
    "aria-expanded": opened,
    "aria-controls": opened ? `${id}-dropdown` : undefined,
    onPointerEnter: expect,
    onFocus: expect,
    onClick: () => onChange(!opened),
  } as const;
  /** `wanted` from the first opening on. */
  return { button, wanted, late: { id, opened, onChange, target } satisfies Late };
}
