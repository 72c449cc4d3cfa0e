/** What changed between two Markdown texts, as a reader sees them. */

import { useMemo } from "react";

import { t } from "@/i18n";
import { Markdown } from "@/ui/markdown/Markdown";

import { changed } from "./changed";
import { renderedBlocks } from "./rendered";
import styles from "./RenderedDiff.module.css";

const PLUGINS = [changed];

export function RenderedDiff({ older, newer }: { older: string; newer: string }) {
  const blocks = useMemo(() => renderedBlocks(older, newer), [older, newer]);
  if (older === newer) return <p className="muted">{t("versions.same")}</p>;
  return (
    // What scrolls must scroll by key too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.text} role="region" aria-label={t("versions.differences")} tabIndex={0}>
      {blocks.map(({ kind, text }, place) => {
        if (kind === "same" || kind === "changed") return <Markdown key={place} text={text} rehype={PLUGINS} />;
        const Change = kind === "removed" ? "del" : "ins";
        return (
          <Change key={place} className={styles.block}>
            <span className="sr-only">{t(`versions.${kind}`)} </span>
            <Markdown text={text} />
          </Change>
        );
      })}
    </div>
  );
}
