/** Texts with marks: in a field behind what is typed, and in a result. */

import { useEffect, useRef, type KeyboardEvent } from "react";

import type { Range } from "./blocks";
import { piecesOf } from "./marks";
import styles from "./Translate.module.css";

interface Marks {
  terms: readonly Range[];
  block?: Range;
}

interface FieldProps extends Marks {
  label: string;
  placeholder: string;
  value: string;
  lang?: string;
  mono?: boolean;
  onChange: (value: string) => void;
  /** Ctrl or Cmd with Enter. */
  onSubmit: () => void;
}

/** A field as high as its text; the same text behind it has the marks. */
export function MarkedField({ label, placeholder, value, lang, mono, terms, block, onChange, onSubmit }: FieldProps) {
  const box = useScrollToBlock(block);
  function hear(event: KeyboardEvent): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  }
  return (
    <div ref={box} className={styles.field} data-mono={mono || undefined}>
      <div className={styles.behind} aria-hidden>
        <Pieces text={value} terms={terms} block={block} />
        {"\n"}
      </div>
      <textarea
        aria-label={label}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        placeholder={placeholder}
        lang={lang}
        dir="auto"
        spellCheck={!mono}
        value={value}
        onKeyDown={hear}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

interface ResultProps extends Marks {
  label: string;
  text: string;
  lang: string;
  busy: boolean;
}

export function MarkedResult({ label, text, lang, busy, terms, block }: ResultProps) {
  const box = useScrollToBlock(block);
  return (
    // What is larger than the box scrolls by key as well.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={box} className={styles.result} role="region" aria-label={label} aria-busy={busy} lang={lang} dir="auto" tabIndex={0}>
      <Pieces text={text} terms={terms} block={block} />
    </div>
  );
}

function Pieces({ text, terms, block }: Marks & { text: string }) {
  return piecesOf(text, terms, block).map((piece, place) =>
    piece.term ? (
      <mark key={place} className={styles.term} data-marked={piece.inBlock || undefined}>
        {piece.text}
      </mark>
    ) : (
      <span key={place} className={styles.piece} data-marked={piece.inBlock || undefined}>
        {piece.text}
      </span>
    ),
  );
}

function useScrollToBlock(block: Range | undefined) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (block) box.current?.querySelector("[data-marked]")?.scrollIntoView({ block: "center" });
  }, [block]);
  return box;
}
