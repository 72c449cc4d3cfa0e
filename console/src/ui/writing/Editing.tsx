/** Editor: title and formatted text, as they are read. */

import { Textarea } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useMemo, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { usePrefer } from "@/session/preferences";
import { lazily } from "@/ui/lazily";
import { Markdown } from "@/ui/markdown/Markdown";
import { useOpen } from "@/ui/markdown/useOpen";
import { Loading } from "@/ui/states";

import { assistanceFor } from "./assistance";
import { attachTo } from "./attachments";
import styles from "./Editing.module.css";
import { pages, people } from "./targets";
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

export function Editing({ now, writing, facts, label, placeholder, onLeave }: Props) {
  const session = useSession();
  const [isFresh] = useState(now.word === "new");
  const prefer = usePrefer();
  const body = useRef<HTMLDivElement>(null);
  const open = useOpen();
  const mayAttach = session.can("files:write");
  const queries = useQueryClient();
  const targets = useMemo(() => ({ pages, people: () => people(queries) }), [queries]);
  const attach = useMemo(() => attachTo(writing), [writing]);
  const assistance = useMemo(() => assistanceFor(session), [session]);
  useEscape(onLeave);
  useSaveKeys(() => void writing.flush());
  return (
    <div className={styles.desk}>
      <h1 className="sr-only">{t("writing.editing", { title: now.text.title })}</h1>
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
          <Suspense fallback={<Waiting text={now.text.body} source={session.me.preferences.editor_source} />}>
            <MarkdownEditor
              value={now.text.body}
              onChange={(text) => writing.write({ body: text })}
              label={label}
              placeholder={placeholder}
              focused={!isFresh}
              source={session.me.preferences.editor_source}
              onSource={(source) => prefer({ editor_source: source })}
              attach={mayAttach ? attach : undefined}
              targets={targets}
              onOpen={open}
              assistance={assistance}
            />
          </Suspense>
        </div>
      </div>
    </div>
  );
}

/** Characters that are formatted at once. */
const QUICK = 50_000;

/** Until the editor is there: the text as it is read, in the same place. */
function Waiting({ text, source }: { text: string; source: boolean }) {
  if (source || text.length > QUICK) return <Loading />;
  return (
    <div className={styles.waiting} aria-busy>
      <Markdown text={text} />
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

/** Escape stops editing, unless it closes a dialog or menu, or leaves a table. */
function useEscape(onLeave: () => void): void {
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    const target = event.target as HTMLElement;
    if (target.closest("[role=dialog], [role=menu], [role=listbox]") || document.querySelector("[role=dialog]")) return;
    onLeave();
  });
}
