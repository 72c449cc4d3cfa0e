/** A text that is open: its source with all that helps to translate it, and the translation. */

import { Suspense, useEffect, useRef } from "react";

import { languageName, t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { lazily } from "@/ui/lazily";

import { ReviewTag, StatusTag } from "../StatusTag";
import { WordDiff, Words } from "../Words";
import { Around } from "./Around";
import { Editor } from "./Editor";
import type { OpenRowProps } from "./opening";
import { Terms } from "./Terms";
import { currentText } from "./text";
import styles from "./Texts.module.css";

const Shown = lazily(() => import("./Shown"));

export function OpenRow(props: OpenRowProps) {
  const { message, source, unsent, mayTranslate } = props;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => void row.current?.scrollIntoView({ block: "nearest" }), []);
  const name = `${message.namespace}.${message.key}`;
  return (
    <li ref={row} className={styles.open}>
      <div className={styles.above}>
        <Copyable value={name} label={t("localization.key")} />
        <span className={styles.tags}>
          {message.review && <ReviewTag review={message.review} />}
          <StatusTag status={message.status} />
        </span>
      </div>
      <div className={styles.sides}>
        <section className={styles.side} aria-label={t("localization.source")}>
          <h3>{languageName(source)}</h3>
          <p className={styles.reading}>
            <Words text={message.source} lang={source} />
          </p>
          {message.written_source !== null && message.written_source !== message.source && (
            <div className={styles.changed}>
              <h4>{t("localization.changed")}</h4>
              <p>
                <WordDiff older={message.written_source} newer={message.source} lang={source} />
              </p>
            </div>
          )}
          <Terms message={message} />
          <Around message={message} source={source} />
        </section>
        <section className={styles.side} aria-label={t("localization.translation")}>
          {mayTranslate ? (
            <Editor {...props} />
          ) : (
            <>
              <h3>{languageName(message.locale)}</h3>
              <p className={styles.reading}>{currentText(message) ? <Words text={currentText(message)} lang={message.locale} /> : <span className="muted">{t("localization.untranslated")}</span>}</p>
            </>
          )}
        </section>
      </div>
      <Suspense fallback={null}>
        <Shown message={message} text={unsent?.text || currentText(message) || message.source} />
      </Suspense>
    </li>
  );
}
