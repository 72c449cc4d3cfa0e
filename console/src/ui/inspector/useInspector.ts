/** Open state and tab of the inspector of one screen. */

import { useMediaQuery } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { keepInspector, useKept, type InspectorName } from "./store";
import type { InspectorTab } from "./tabs";

export interface InspectorState {
  /** A panel beside the item, or on small screens a sheet over it. */
  isSheet: boolean;
  opened: boolean;
  tab?: InspectorTab;
  choose: (tab: string) => void;
  open: () => void;
  close: () => void;
}

/** A link can name the tab with `inspect` in its address; otherwise it is as the person left it. */
export function useInspector(name: InspectorName, tabs: readonly InspectorTab[], opensAtFirst: boolean): InspectorState {
  const isSheet = useMediaQuery("(max-width: 1023px)", undefined, { getInitialValueInEffect: false });
  const kept = useKept(name);
  const [sheet, setSheet] = useState(false);
  const { inspect } = useSearch({ strict: false }) as { inspect?: unknown };
  const go = useNavigate();
  const named = tabs.find((tab) => tab.name === inspect);
  const opened = tabs.length > 0 && (named !== undefined || (isSheet ? sheet : (kept?.open ?? opensAtFirst)));

  // What a link opens stays open on the next item.
  const tabName = named?.name;
  useEffect(() => {
    if (tabName !== undefined) keepInspector(name, { ...(!isSheet && { open: true }), tab: tabName });
  }, [name, tabName, isSheet]);

  function set(open: boolean, tab?: string): void {
    // A sheet covers the item, so the next one doesn't open with it.
    if (isSheet) setSheet(open);
    keepInspector(name, { ...(!isSheet && { open }), ...(tab !== undefined && { tab }) });
    if (named) void go({ to: ".", search: (now: object) => ({ ...now, inspect: undefined }) as never, replace: true });
  }

  return {
    isSheet,
    opened,
    tab: named ?? tabs.find((tab) => tab.name === kept?.tab) ?? tabs[0],
    choose: (tab) => set(true, tab),
    open: () => set(true),
    close: () => set(false),
  };
}
