/** The rows that features declare: screens with their addresses, and actions with their keys. */

import type { Icon } from "@tabler/icons-react";
import type { ComponentType } from "react";

import type { Feature, Permission } from "@/api/client";
import type { MessageKey } from "@/i18n";

import type { Session } from "./session";

export type Group = "work" | "team" | "company" | "instance" | "me";

export interface Needs {
  permission?: Permission;
  feature?: Feature;
  /** Only operators of the instance. */
  operator?: boolean;
}

export interface Screen extends Needs {
  path: string;
  title: MessageKey;
  /** Where the rail shows it; a screen without a place is reached from another. */
  nav?: { group: Group; icon: Icon; keys?: string };
  load: () => Promise<{ default: ComponentType }>;
}

export interface Action extends Needs {
  name: string;
  title: MessageKey;
  icon?: Icon;
  /** One key, or two in a row such as `g n`. */
  keys?: string;
  /** Where it makes sense; everywhere when left out. */
  on?: RegExp;
  /** What it needs beyond a permission, such as an instance of many companies. */
  when?: (session: Session) => boolean;
  perform: (go: (path: string) => void) => void;
}

export const screen = (path: string, rest: Omit<Screen, "path">): Screen => ({ path, ...rest });
export const action = (name: string, rest: Omit<Action, "name">): Action => ({ name, ...rest });

/** What a caller may not do is not offered; the server decides all the same. */
export function allowed(needs: Needs, session: Session): boolean {
  return (
    (!needs.operator || session.operator) &&
    (!needs.permission || session.can(needs.permission)) &&
    (!needs.feature || session.has(needs.feature))
  );
}

/** Whether an action is there to be chosen, on the screen that one is on. */
export function offered(action: Action, session: Session, path: string): boolean {
  return allowed(action, session) && (!action.on || action.on.test(path)) && (!action.when || action.when(session));
}
