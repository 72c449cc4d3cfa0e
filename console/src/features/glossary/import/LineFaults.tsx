/** Errors of a file, by line. */

import { t } from "@/i18n";

import type { LineFault } from "../exchange";
import styles from "./Import.module.css";

export function LineFaults({ title, words, faults }: { title: string; words: string; faults: readonly LineFault[] }) {
  if (faults.length === 0) return null;
  return (
    <section className={styles.part} aria-label={title}>
      <h3>{title}</h3>
      <p className="muted">{words}</p>
      {/* What is larger than the box scrolls by key as well. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul className={styles.faults} tabIndex={0}>
        {faults.map(({ line, message }) => (
          <li key={line}>
            <b>{t("glossary.import.line", { line })}</b> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}
