/** Reading view: title, metadata and text at a readable width. Tasks can be ticked by whoever may write. */

import { useCallback, useEffect, useRef, type ReactNode } from "react";

import { t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";
import { ticked } from "@/ui/markdown/ticking";

import styles from "./Open.module.css";
import title from "./Title.module.css";
import type { Snapshot, Writing } from "./writing";

interface Props {
  now: Snapshot;
  facts: ReactNode;
  /** Shown for an empty text. */
  empty: string;
  /** For those who may change the text. */
  writing?: Writing;
}

export function Reading({ now, facts, empty, writing }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Moves focus here when the link that had it is gone, or it would return to the top of the page.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [now.id]);
  const tick = useCallback(
    (at: number) => {
      const body = writing && ticked(writing.snapshot.text.body, at);
      if (body !== undefined) writing?.write({ body }, 0);
    },
    [writing],
  );
  return (
    <article className={styles.reading}>
      <h1 ref={heading} tabIndex={-1} className={title.title}>
        {now.text.title.trim() || t("writing.untitled")}
      </h1>
      {facts}
      {now.text.body.trim() === "" ? <p className="muted">{empty}</p> : <Markdown text={now.text.body} onTick={writing && !now.offer ? tick : undefined} />}
    </article>
  );
}
