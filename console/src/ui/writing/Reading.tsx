/** A text to read: its title, the line below it, and the rest at a width that can be read. */

import { useEffect, useRef, type ReactNode } from "react";

import { t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";

import styles from "./Open.module.css";
import title from "./Title.module.css";
import type { Snapshot } from "./writing";

interface Props {
  now: Snapshot;
  facts: ReactNode;
  /** Said of a text that has no body. */
  empty: string;
}

export function Reading({ now, facts, empty }: Props) {
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
      {facts}
      {now.text.body.trim() === "" ? <p className="muted">{empty}</p> : <Markdown text={now.text.body} />}
    </article>
  );
}
