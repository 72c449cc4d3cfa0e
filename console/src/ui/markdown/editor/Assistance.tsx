/** A model's suggestion for a selection: shown as a comparison, and taken only when it is accepted. Lazy-loaded. */

import { Alert, Button, Loader } from "@mantine/core";
import type { EditorView } from "@codemirror/view";
import { useEffect, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Diff } from "@/ui/diff/Diff";
import { LanguageSelect } from "@/ui/languages/LanguageSelect";
import QuotaRefused from "@/ui/QuotaRefused";
import { fullQuotaOf } from "@/ui/quotaWords";

import styles from "./Assistance.module.css";
import { placeOf } from "./passages";

export type AskedName = "rewrite" | "shorten" | "grammar" | "summarise" | "translate";

export interface Asked {
  name: AskedName;
  /** Whether it needs a language. */
  language?: boolean;
  ask: (text: string, language: string, signal: AbortSignal) => Promise<string>;
}

/** What a request has room for. */
const LONGEST = 20_000;

interface Props {
  asked: Asked;
  view: EditorView;
  onClose: () => void;
}

export default function Assistance({ asked, view, onClose }: Props) {
  const [passage] = useState(() => passageOf(view));
  const [language, setLanguage] = useState<string | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  const isLong = passage.text.length > LONGEST;
  const isEmpty = passage.text.trim() === "";
  const isReady = !isLong && !isEmpty && (!asked.language || language !== null);

  useEffect(() => {
    if (!isReady) return;
    const stop = new AbortController();
    setAnswer(null);
    setFault(null);
    asked.ask(passage.text, language ?? "", stop.signal).then(
      (text) => !stop.signal.aborted && setAnswer(framed(passage.text, text)),
      (reason: unknown) => !stop.signal.aborted && setFault(reason),
    );
    return () => stop.abort();
  }, [asked, passage, language, isReady, turn]);

  function take(below: boolean): void {
    const from = placeOf(view.state.doc.toString(), passage);
    if (from === null || answer === null) {
      setFault(new Refusal(409, { detail: t("markdown.assist.changed") }));
      return;
    }
    const to = from + passage.text.length;
    view.dispatch({ changes: below ? { from: to, insert: `\n\n${answer}` } : { from, to, insert: answer }, userEvent: "input.assist", scrollIntoView: true });
    onClose();
    setTimeout(() => view.focus(), 50);
  }

  return (
    <Dialog title={t(`markdown.assist.${asked.name}`)} wide onClose={onClose}>
      {asked.language && !isEmpty && <LanguageSelect className={styles.language} label={t("markdown.assist.language")} value={language} onChange={setLanguage} />}
      {isEmpty && <Alert color="warning">{t("markdown.assist.empty")}</Alert>}
      {isLong && <Alert color="warning">{t("markdown.assist.long")}</Alert>}
      {fault !== null && <Fault fault={fault} />}
      {isReady && answer === null && fault === null && (
        <p className={styles.busy} role="status">
          <Loader size={16} /> {t("markdown.assist.busy")}
        </p>
      )}
      {answer !== null && <Diff older={passage.text} newer={answer} heads={[t("markdown.assist.before"), t("markdown.assist.after")]} />}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("markdown.assist.dismiss")}
        </Button>
        {(answer !== null || fault !== null) && (
          <Button variant="default" onClick={() => setTurn(turn + 1)}>
            {t("markdown.assist.again")}
          </Button>
        )}
        <Button variant="default" disabled={answer === null} onClick={() => take(true)}>
          {t("markdown.assist.below")}
        </Button>
        <Button disabled={answer === null} onClick={() => take(false)}>
          {t("markdown.assist.accept")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Fault({ fault }: { fault: unknown }) {
  const refusal = fault instanceof Refusal ? fault : undefined;
  const quota = fullQuotaOf(refusal);
  if (quota) return <QuotaRefused quota={quota} />;
  return (
    <Alert color="danger" role="alert">
      {refusal?.message ?? t("state.failed.unknown")}
    </Alert>
  );
}

/** The selection, or everything without one. */
function passageOf({ state }: EditorView): { from: number; text: string } {
  const { from, to, empty } = state.selection.main;
  return empty ? { from: 0, text: state.doc.toString() } : { from, text: state.sliceDoc(from, to) };
}

/** Models add and drop blank lines at the edges. */
function framed(before: string, after: string): string {
  const [, lead = "", tail = ""] = /^(\s*)[^]*?(\s*)$/.exec(before) ?? [];
  return lead + after.trim() + tail;
}
