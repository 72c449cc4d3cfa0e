/** Editor: title and text on one side, preview on the other; on a phone, one at a time. */

import { Textarea } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { Suspense, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";
import { Segments } from "@/ui/Segments";
import { Loading } from "@/ui/states";

import styles from "./Editing.module.css";
import { Preview } from "./Preview";
import { LONGEST_TITLE } from "./text";
import title from "./Title.module.css";
import type { Snapshot, Writing } from "./writing";

const MarkdownEditor = lazily(() => import("@/ui/markdown/MarkdownEditor"));

interface Props {
  now: Snapshot;
  writing: Writing;
  /** Metadata below the title. */
  facts: ReactNode;
  /** Accessible name of the text field. */
  label: string;
  placeholder: string;
  onLeave: () => void;
}

type Side = "write" | "preview";

export function Editing({ now, writing, facts, label, placeholder, onLeave }: Props) {
  const [side, setSide] = useState<Side>("write");
  const [isFresh] = useState(now.word === "new");
  const body = useRef<HTMLDivElement>(null);
  useEscape(onLeave);
  useSaveKeys(() => void writing.flush());
  return (
    <div className={styles.desk} data-side={side}>
      <h1 className="sr-only">{t("writing.editing", { title: now.text.title })}</h1>
      <Segments<Side>
        className={styles.sides}
        fullWidth
        aria-label={t("writing.sides")}
        value={side}
        onChange={setSide}
        data={[{ value: "write", label: t("writing.side.write") }, { value: "preview", label: t("writing.side.preview") }]}
      />
      <div className={styles.write}>
        <Textarea
          className={title.field}
          variant="unstyled"
          autosize
          autoFocus={isFresh}
          aria-label={t("writing.field.title")}
          placeholder={t("writing.untitled")}
          maxLength={LONGEST_TITLE}
          value={now.text.title}
          onChange={(event) => writing.write({ title: event.currentTarget.value.replace(/\s*\n\s*/g, " ") })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            body.current?.querySelector<HTMLElement>("[contenteditable]")?.focus();
          }}
        />
        {facts}
        <div ref={body} className={styles.body}>
          <Suspense fallback={<Loading />}>
            <MarkdownEditor
              value={now.text.body}
              onChange={(text) => writing.write({ body: text })}
              label={label}
              placeholder={placeholder}
              focused={!isFresh}
            />
          </Suspense>
        </div>
      </div>
      <Preview text={now.text} />
    </div>
  );
}

/** Ctrl+S saves the text; the browser would save the page. */
function useSaveKeys(save: () => void): void {
  useWindowEvent("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    save();
  });
}

/** Escape stops editing, unless it closes a dialog or menu. */
function useEscape(onLeave: () => void): void {
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    const target = event.target as HTMLElement;
    if (target.closest("[role=dialog], [role=menu], [role=listbox]") || document.querySelector("[role=dialog]")) return;
    onLeave();
  });
}
