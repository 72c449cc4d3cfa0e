/** Toolbar of the editor; on a phone it stays above the keyboard. */

import { IconMarkdown, IconPaperclip } from "@tabler/icons-react";
import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import { Toolbar } from "@/ui/Toolbar";

import type { Asked } from "./Assistance";
import styles from "./FormatBar.module.css";
import { GROUPS, STEPS } from "./toolTable";
import { Assist, Gap, ToolButton, Tools } from "./Tools";

/** Whether there is something to undo, and to redo. */
export interface Steps {
  undo: boolean;
  redo: boolean;
}

interface Props {
  view: EditorView | null;
  steps: Steps;
  source: boolean;
  onSource: (source: boolean) => void;
  onFile?: () => void;
  assistance: readonly Asked[];
  onAsk: (asked: Asked) => void;
}

export function FormatBar({ view, steps, source, onSource, onFile, assistance, onAsk }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useAboveKeyboard(bar);
  return (
    <Toolbar ref={bar} className={styles.bar} aria-label={t("markdown.toolbar")}>
      {/* The focus stays where it is: a step back is often one of several, and no keyboard opens on a phone. */}
      {STEPS.map(({ name, run, ...tool }) => (
        <ToolButton key={name} {...tool} disabled={!steps[name]} onClick={() => view && run(view)} />
      ))}
      <Gap />
      <Tools view={view} groups={GROUPS} />
      {onFile && <ToolButton word="markdown.menu.file" icon={IconPaperclip} onClick={onFile} />}
      <span className={styles.space} />
      {assistance.length > 0 && <Assist assistance={assistance} view={view} onAsk={onAsk} />}
      <ToolButton word="markdown.source" icon={IconMarkdown} pressed={source} onClick={() => onSource(!source)} />
    </Toolbar>
  );
}

/** Some phones lay the keyboard over the page: the bar moves up by what is hidden. */
function useAboveKeyboard(bar: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const seen = window.visualViewport;
    if (!seen) return;
    const place = (): void => {
      const hidden = Math.max(0, window.innerHeight - seen.height - seen.offsetTop);
      bar.current?.style.setProperty("--keyboard", `${seen.scale === 1 ? hidden : 0}px`);
    };
    seen.addEventListener("resize", place);
    seen.addEventListener("scroll", place);
    return () => {
      seen.removeEventListener("resize", place);
      seen.removeEventListener("scroll", place);
    };
  }, [bar]);
}
