/** A note to read: its title, who sees it, and its text at a width that can be read. */

import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";
import title from "@/ui/writing/Title.module.css";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import type { Rights } from "../rights";
import type { Note, NoteText } from "../text";
import { Facts } from "./Facts";
import styles from "./OpenNote.module.css";

interface Props {
  now: Snapshot<NoteText>;
  writing: Writing<NoteText>;
  note: Note | null;
  rights: Rights;
}

export function Reading({ now, writing, note, rights }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Whoever came here by a link that is gone now would begin at the page's top again.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [now.id]);
  return (
    <article className={styles.reading}>
      <h1 ref={heading} tabIndex={-1} className={title.title}>
        {now.text.title.trim() || t("writing.untitled")}
      </h1>
      <Facts now={now} writing={writing} note={note} rights={rights} />
      {now.text.body.trim() === "" ? <p className="muted">{t("notes.empty_body")}</p> : <Markdown text={now.text.body} />}
    </article>
  );
}
