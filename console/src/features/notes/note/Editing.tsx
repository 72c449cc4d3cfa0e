/** A note to write: title and text on one side, how it will read on the other; on a phone one at a time. */

import { Textarea } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { lazy, Suspense, useRef, useState } from "react";

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { Loading } from "@/ui/states";

import type { Rights } from "../rights";
import { LONGEST_TITLE } from "../text";
import type { Snapshot, Writing } from "../writing/writing";
import styles from "./Editing.module.css";
import { Facts } from "./Facts";
import { Preview } from "./Preview";
import title from "./Title.module.css";

const MarkdownEditor = lazy(() => import("@/ui/markdown/MarkdownEditor"));

interface Props {
  now: Snapshot;
  writing: Writing;
  rights: Rights;
  onLeave: () => void;
}

type Side = "write" | "preview";

export function Editing({ now, writing, rights, onLeave }: Props) {
  const [side, setSide] = useState<Side>("write");
  const [isFresh] = useState(now.word === "new");
  const body = useRef<HTMLDivElement>(null);
  useEscape(onLeave);
  return (
    <div className={styles.desk} data-side={side}>
      <h1 className="sr-only">{t("notes.editing", { title: now.text.title })}</h1>
      <Segments<Side>
        className={styles.sides}
        fullWidth
        aria-label={t("notes.sides")}
        value={side}
        onChange={setSide}
        data={[{ value: "write", label: t("notes.side.write") }, { value: "preview", label: t("notes.side.preview") }]}
      />
      <div className={styles.write}>
        <Textarea
          className={title.field}
          variant="unstyled"
          autosize
          autoFocus={isFresh}
          aria-label={t("notes.field.title")}
          placeholder={t("notes.untitled")}
          maxLength={LONGEST_TITLE}
          value={now.text.title}
          onChange={(event) => writing.write({ title: event.currentTarget.value.replace(/\s*\n\s*/g, " ") })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            body.current?.querySelector<HTMLElement>("[contenteditable]")?.focus();
          }}
        />
        <Facts now={now} writing={writing} note={null} rights={rights} />
        <div ref={body} className={styles.body}>
          <Suspense fallback={<Loading />}>
            <MarkdownEditor
              value={now.text.body}
              onChange={(text) => writing.write({ body: text })}
              label={t("notes.field.body")}
              placeholder={t("notes.field.body.hint")}
              focused={!isFresh}
            />
          </Suspense>
        </div>
      </div>
      <Preview text={now.text} />
    </div>
  );
}

/** Escape leaves, unless it closes something that lies above. */
function useEscape(onLeave: () => void): void {
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    const target = event.target as HTMLElement;
    if (target.closest("[role=dialog], [role=menu], [role=listbox]") || document.querySelector("[role=dialog]")) return;
    onLeave();
  });
}
