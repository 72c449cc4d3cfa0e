/** Keys: one key or two in a row, from the tables of screens and actions; never while somebody writes. */

import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import { createOpening } from "@/ui/opening";

import { openPalette } from "./Palette";
import { ACTIONS, SCREENS } from "./screens";
import { useSession, type Session } from "./session";
import { allowed, offered, type Action } from "./tables";

export interface Binding {
  keys: string;
  title: string;
  perform: () => void;
}

const PATIENCE = 900;

export const keyMap = createOpening();

/** What can be done by key here and now. */
export function useBindings(): Binding[] {
  const session = useSession();
  const go = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const visit = (to: string): void => void go({ to });
  const places = SCREENS.filter((screen) => screen.nav?.keys && allowed(screen, session)).map((screen) => ({
    keys: screen.nav?.keys ?? "",
    title: t("keys.go", { place: t(screen.title) }),
    perform: () => visit(screen.path),
  }));
  const actions = keyed(ACTIONS, session, path).map((action) => ({
    keys: action.keys ?? "",
    title: t(action.title),
    perform: () => action.perform(visit),
  }));
  return [...actions, ...places, { keys: "?", title: t("shell.keys"), perform: keyMap.open }];
}

/** One action for a key: what belongs to the screen goes before what can be done anywhere. */
export function keyed(actions: readonly Action[], session: Session, path: string): Action[] {
  const here = actions.filter((action) => action.keys && offered(action, session, path));
  const ownFirst = [...here.filter((action) => action.on), ...here.filter((action) => !action.on)];
  return ownFirst.filter((action, place) => place === ownFirst.findIndex((other) => other.keys === action.keys));
}

export function useKeyboard(): void {
  const bindings = useBindings();
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    let pending = "";
    let timer = 0;
    const hear = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || writes(event.target)) return;
      const typed = pending ? `${pending} ${event.key}` : event.key;
      const found = latest.current.find((binding) => binding.keys === typed);
      clearTimeout(timer);
      pending = "";
      if (found) {
        event.preventDefault();
        found.perform();
      } else if (latest.current.some((binding) => binding.keys.startsWith(`${typed} `))) {
        pending = typed;
        timer = window.setTimeout(() => (pending = ""), PATIENCE);
      }
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, []);
}

function writes(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=dialog], [role=menu], [role=listbox]") !== null)
  );
}
