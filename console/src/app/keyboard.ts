/** Keyboard shortcuts of one or two keys, from the tables of screens and actions; off in text fields and dialogs. */

import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import { allowed, offered, type Action } from "@/navigation/tables";
import { useSession, type Session } from "@/session";
import { createOpening } from "@/ui/opening";

import { box, typeAhead } from "./box/opening";
import { ACTIONS, LOCAL_KEYS, SCREENS } from "./screens";

export interface Binding {
  keys: string;
  title: string;
  perform: () => void;
}

/** How long the first key of two is remembered. */
const PAUSE_MS = 900;

export const keyMap = createOpening();

/** The keys that work on the current screen. */
export function useBindings(): Binding[] {
  const session = useSession();
  const go = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const visit = (to: string): void => void go({ to });
  const screens = SCREENS.filter((screen) => screen.nav?.keys && allowed(screen, session)).map((screen) => ({
    keys: screen.nav?.keys ?? "",
    title: t("keys.go", { place: t(screen.title) }),
    perform: () => visit(screen.path),
  }));
  const actions = keyed(ACTIONS, session, path).map((action) => ({
    keys: action.keys ?? "",
    title: t(action.title),
    perform: () => action.perform(visit),
  }));
  return [...actions, ...screens, { keys: "?", title: t("shell.keys"), perform: keyMap.open }];
}

/** One action per key: the screen's own before one that works anywhere. */
export function keyed(actions: readonly Action[], session: Session, path: string): Action[] {
  const here = actions.filter((action) => action.keys && offered(action, session, path));
  const ownFirst = [...here.filter((action) => action.on), ...here.filter((action) => !action.on)];
  return ownFirst.filter((action, index) => index === ownFirst.findIndex((other) => other.keys === action.keys));
}

export interface Listed {
  keys: string;
  title: string;
}

/** The keys of the list on the current screen, which work while it has the focus. */
export function useLocalKeys(): Listed[] {
  const session = useSession();
  const path = useRouterState({ select: (state) => state.location.pathname });
  return LOCAL_KEYS.filter((each) => each.on.test(path) && allowed(each, session)).map(({ keys, title }) => ({ keys, title: t(title) }));
}

export function useKeyboard(): void {
  const bindings = useBindings();
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    let pending = "";
    let timer = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        box.open();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (box.isOpened()) {
        if (event.key.length === 1) typeAhead(event.key);
        event.preventDefault();
        return;
      }
      const typed = pending ? `${pending} ${event.key}` : event.key;
      const found = latest.current.find((binding) => binding.keys === typed);
      clearTimeout(timer);
      pending = "";
      if (found) {
        event.preventDefault();
        found.perform();
      } else if (latest.current.some((binding) => binding.keys.startsWith(`${typed} `))) {
        pending = typed;
        timer = window.setTimeout(() => (pending = ""), PAUSE_MS);
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=dialog], [role=menu], [role=listbox]") !== null)
  );
}
