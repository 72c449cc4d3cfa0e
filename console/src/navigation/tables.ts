/** The rows that features declare: screens with their addresses, and actions with their keys. */

import type { Icon } from "@tabler/icons-react";
import { createContext, useContext, type ComponentType } from "react";

import type { Feature, Permission } from "@/api/client";
import type { MessageKey } from "@/i18n";
import type { Session } from "@/session";

/** The groups of the settings menu, in its order: whom a setting is for. */
export const SCOPES = ["team", "company", "instance", "me"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Needs {
  permission?: Permission;
  feature?: Feature;
  /** Only operators of the instance. */
  operator?: boolean;
}

export interface NavEntry {
  /** The rail, its foot, or a group of the settings menu. */
  group: "main" | "foot" | Scope;
  icon: Icon;
  keys?: string;
  /** Also in the bottom bar of a phone. */
  bottomBar?: boolean;
}

export interface Screen extends Needs {
  path: string;
  title: MessageKey;
  /** A screen without an entry is reached from another. */
  nav?: NavEntry;
  load: () => Promise<{ default: ComponentType }>;
}

/** A screen with an entry in the rail or in the settings menu. */
export type NavScreen = Screen & { nav: NavEntry };

export interface Action extends Needs {
  name: string;
  title: MessageKey;
  icon?: Icon;
  /** One key, or two in a row such as `g n`. */
  keys?: string;
  /** The screens it belongs to; all of them when left out. */
  on?: RegExp;
  /** What it needs beyond a permission, such as an instance of many companies. */
  when?: (session: Session) => boolean;
  perform: (go: (path: string) => void) => void;
}

/** Keys that a list handles by itself while it has the focus. */
export interface LocalKeys extends Needs {
  keys: string;
  title: MessageKey;
  on: RegExp;
}

export const screen = (path: string, rest: Omit<Screen, "path">): Screen => ({ path, ...rest });
export const action = (name: string, rest: Omit<Action, "name">): Action => ({ name, ...rest });

export const localKeys = (keys: string, title: MessageKey, on: RegExp, needs: Needs = {}): LocalKeys => ({ keys, title, on, ...needs });

/** What a caller can't do isn't offered; the server decides all the same. */
export function allowed(needs: Needs, session: Session): boolean {
  return (
    (!needs.operator || session.operator) &&
    (!needs.permission || session.can(needs.permission)) &&
    (!needs.feature || session.has(needs.feature))
  );
}

/** Whether an action can be chosen on the current screen. */
export function offered(action: Action, session: Session, path: string): boolean {
  return allowed(action, session) && (!action.on || action.on.test(path)) && (!action.when || action.when(session));
}

export interface Tables {
  screens: readonly Screen[];
  actions: readonly Action[];
}

const Context = createContext<Tables>({ screens: [], actions: [] });

export const TablesProvider = Context.Provider;

/** All rows of all features, for a feature that has to know what the console offers. */
export const useTables = (): Tables => useContext(Context);
