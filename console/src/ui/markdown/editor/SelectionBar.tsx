/** The bar at selected text: the tools for a passage, and what a model can do with it. */

import { repositionTooltips, type EditorView } from "@codemirror/view";
import { useLayoutEffect, type KeyboardEvent } from "react";

import { t } from "@/i18n";
import { Toolbar } from "@/ui/Toolbar";

import type { Asked } from "./Assistance";
import { dismiss, followFocus, leave } from "./selection";
import styles from "./SelectionBar.module.css";
import { SELECTED_GROUPS } from "./toolTable";
import { Assist, keepFocus, Tools } from "./Tools";

interface Props {
  view: EditorView;
  assistance: readonly Asked[];
  onAsk: (asked: Asked) => void;
}

export function SelectionBar({ view, assistance, onAsk }: Props) {
  // The place was chosen before the bar had its size.
  useLayoutEffect(() => repositionTooltips(view), [view]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== "Escape" || !event.currentTarget.contains(event.target as Element)) return;
    event.preventDefault();
    dismiss(view);
  };
  return (
    <Toolbar className={styles.bar} aria-label={t("markdown.selection")} onKeyDown={onKeyDown} onBlur={({ currentTarget }) => followFocus(view, currentTarget)} onMouseDown={keepFocus}>
      <Tools view={view} groups={SELECTED_GROUPS} />
      {assistance.length > 0 && <Assist assistance={assistance} view={view} onAsk={(asked) => (leave(view), onAsk(asked))} />}
    </Toolbar>
  );
}
