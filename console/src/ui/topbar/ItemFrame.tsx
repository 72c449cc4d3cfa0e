/** The frame of an open item: the top bar, the item, and the inspector with its details. */

import { Suspense, useRef, type ReactNode } from "react";

import { useCommand } from "@/ui/commands";
import type { InspectorName } from "@/ui/inspector/store";
import type { InspectorTab } from "@/ui/inspector/tabs";
import { useInspector } from "@/ui/inspector/useInspector";
import { lazily } from "@/ui/lazily";
import { useOpened } from "@/ui/shortcuts/queries";

import { TopBar, type TopBarProps } from "./TopBar";
import styles from "./TopBar.module.css";

const Inspector = lazily(() => import("@/ui/inspector/Inspector"));

interface Props extends TopBarProps {
  /** Its inspector is remembered for all items of this type. */
  name: InspectorName;
  /** Without any, there is no inspector. */
  tabs: readonly InspectorTab[];
  /** The inspector is open until somebody closes it. */
  opensAtFirst?: boolean;
  children: ReactNode;
}

export function ItemFrame({ name, tabs, opensAtFirst = false, children, ...bar }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const state = useInspector(name, tabs, opensAtFirst);

  function close(): void {
    state.close();
    button.current?.focus();
  }
  const toggle = (): void => (state.opened ? close() : state.open());
  useOpened(bar.subject);
  useCommand("inspect", () => (tabs.length > 0 ? toggle() : false));

  return (
    <div className={styles.frame} data-inspector={state.opened && !state.isSheet ? "open" : undefined}>
      <TopBar {...bar} inspector={tabs.length > 0 ? { opened: state.opened, toggle, button } : undefined} />
      <div className={styles.main}>{children}</div>
      {state.opened && (
        <Suspense>
          <Inspector state={state} tabs={tabs} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
