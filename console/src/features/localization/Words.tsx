/** A message as it's written, and what changed between two of them. */

import { Fragment } from "react";

import { t } from "@/i18n";
import { wordParts } from "@/ui/diff/words";

import { pieces } from "./icu";
import styles from "./Words.module.css";

interface Props {
  text: string;
  lang: string;
}

/** Placeholders and tags are marked: they stay as they are. */
export function Words({ text, lang }: Props) {
  return (
    <span className={styles.words} lang={lang} dir="auto">
      {pieces(text).map((piece, place) => (piece.code ? <code key={place}>{piece.text}</code> : <Fragment key={place}>{piece.text}</Fragment>))}
    </span>
  );
}

export function WordDiff({ older, newer, lang }: { older: string; newer: string; lang: string }) {
  return (
    <span className={styles.words} lang={lang} dir="auto">
      {wordParts(older, newer).map(({ kind, text }, place) => {
        if (kind === "same") return <span key={place}>{text}</span>;
        const Change = kind === "removed" ? "del" : "ins";
        return (
          <Change key={place}>
            <span className="sr-only">{t(`versions.${kind}`)} </span>
            {text}
          </Change>
        );
      })}
    </span>
  );
}
