/** A toolbar: one stop of Tab, which is the control that had the focus last; arrow keys, Home and End move within. */

import { useMergedRef } from "@mantine/hooks";
import { useLayoutEffect, useRef, type ComponentPropsWithRef, type FocusEvent, type KeyboardEvent } from "react";

const CONTROLS = "a[href], button:not(:disabled)";
const STEPS: Partial<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

export function Toolbar({ ref, children, onFocus, onKeyDown, ...props }: ComponentPropsWithRef<"div"> & { "aria-label": string }) {
  const bar = useRef<HTMLDivElement>(null);
  const last = useRef<Element | null>(null);

  // What is within draws itself anew without the bar, and a narrow window hides some of it.
  useLayoutEffect(() => {
    const element = bar.current as HTMLDivElement;
    const keep = (): void => keepOneStop(element, last.current);
    const changes = new MutationObserver(keep);
    changes.observe(element, { childList: true, subtree: true, attributeFilter: ["disabled", "href"] });
    const sizes = new ResizeObserver(keep);
    sizes.observe(element);
    keep();
    return () => {
      changes.disconnect();
      sizes.disconnect();
    };
  }, []);

  const remember = (event: FocusEvent<HTMLDivElement>): void => {
    onFocus?.(event);
    // The focus in a menu that hangs at the bar comes here, too.
    if (!event.currentTarget.contains(event.target)) return;
    last.current = event.target;
    keepOneStop(event.currentTarget, event.target);
  };
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    onKeyDown?.(event);
    moveIn(event);
  };
  return (
    <div {...props} ref={useMergedRef(bar, ref)} role="toolbar" onFocus={remember} onKeyDown={move}>
      {children}
    </div>
  );
}

const controlsOf = (bar: Element): HTMLElement[] => [...bar.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.checkVisibility());

function keepOneStop(bar: Element, last: Element | null): void {
  const controls = controlsOf(bar);
  const stop = controls.find((control) => control === last) ?? controls[0];
  for (const control of controls) control.setAttribute("tabindex", control === stop ? "0" : "-1");
}

function moveIn(event: KeyboardEvent<HTMLDivElement>): void {
  const step = STEPS[event.key];
  const controls = controlsOf(event.currentTarget);
  // Events of a menu that hangs at the bar come here, too.
  const at = controls.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0 || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const isMirrored = Number.isFinite(step) && getComputedStyle(event.currentTarget).direction === "rtl";
  controls[Math.max(0, Math.min(controls.length - 1, at + (isMirrored ? -step : step)))]?.focus();
}
