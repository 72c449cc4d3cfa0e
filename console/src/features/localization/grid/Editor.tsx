/** The field of a translation: Enter saves and goes on, and nothing typed is lost, whatever the server says. */

import { Alert, Button, Textarea } from "@mantine/core";
import { useEffect, useRef, type KeyboardEvent } from "react";

import { languageName, t } from "@/i18n";
import { useSession } from "@/session";
import { Time } from "@/ui/Time";

import { faultLines, isConflict, warningText } from "../refusals";
import { WordDiff } from "../Words";
import styles from "./Editor.module.css";
import type { OpenRowProps } from "./opening";
import { Placeholders } from "./Placeholders";
import { currentText, isApprovable } from "./text";

const LONGEST = 10_000;

export function Editor({ message, unsent, fault, sending, onType, onRevert, onSave, onApprove, onMove, onClose }: OpenRowProps) {
  const { can } = useSession();
  const field = useRef<HTMLTextAreaElement>(null);
  const current = currentText(message);
  const warnings = message.warnings ?? [];
  const text = unsent?.text ?? current;
  const isOvertaken = unsent !== undefined && unsent.base !== current && unsent.text !== current;

  useEffect(() => {
    const input = field.current;
    input?.focus({ preventScroll: true });
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);

  function hear(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) onSave(text, false);
    else if (event.key === "Escape") onClose();
    else if (step && event.altKey) onMove(step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function insert(piece: string): void {
    const input = field.current;
    if (!input) return;
    const [from, to] = [input.selectionStart, input.selectionEnd];
    onType(text.slice(0, from) + piece + text.slice(to));
    requestAnimationFrame(() => {
      input.focus();
      input.setSelectionRange(from + piece.length, from + piece.length);
    });
  }

  return (
    <div className={styles.editor}>
      {message.proposal && <ProposalWords message={message} />}
      <Textarea
        ref={field}
        label={languageName(message.locale)}
        classNames={{ label: styles.label, input: styles.input }}
        autosize
        minRows={3}
        maxRows={16}
        maxLength={LONGEST}
        lang={message.locale}
        dir="auto"
        spellCheck
        value={text}
        error={fault !== null && !isConflict(fault) ? <Lines lines={faultLines(fault)} /> : undefined}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={hear}
      />
      <Placeholders message={message} onInsert={insert} onReplace={onType} />
      {isConflict(fault) && (
        <Alert color="warning" role="alert" title={t("localization.conflict")}>
          <Lines lines={faultLines(fault)} />
          <p>{t("localization.conflict.kept")}</p>
        </Alert>
      )}
      {isOvertaken && (
        <Alert color="warning" title={t("localization.overtaken")}>
          <p>
            <WordDiff older={unsent.base} newer={current} lang={message.locale} />
          </p>
          <Button size="xs" variant="default" onClick={onRevert}>
            {t("localization.overtaken.take")}
          </Button>
        </Alert>
      )}
      {warnings.length > 0 && unsent === undefined && (
        <ul className={styles.warnings} aria-label={t("localization.warnings.title")}>
          {warnings.map((warning) => (
            <li key={warning.check + warning.message}>{warningText(warning)}</li>
          ))}
        </ul>
      )}
      <div className={styles.buttons}>
        <Button size="xs" loading={sending} disabled={text.trim() === ""} onClick={() => onSave(text, true)}>
          {t("action.save")}
        </Button>
        {can("localization:review") && unsent === undefined && isApprovable(message) && (
          <Button size="xs" variant="default" disabled={sending} onClick={onApprove}>
            {t(message.status === "stale" && !message.proposal ? "localization.keep" : "localization.approve")}
          </Button>
        )}
        {unsent !== undefined && (
          <Button size="xs" variant="subtle" color="gray" disabled={sending} onClick={onRevert}>
            {t("localization.revert")}
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
          {t("action.close")}
        </Button>
      </div>
      <p className={styles.keys}>
        <span>
          <kbd>Enter</kbd> {t("localization.keys.save")}
        </span>
        <span>
          <kbd>Shift Enter</kbd> {t("localization.keys.line")}
        </span>
        <span>
          <kbd>Alt ↑ ↓</kbd> {t("localization.keys.move")}
        </span>
        <span>
          <kbd>Esc</kbd> {t("localization.keys.leave")}
        </span>
      </p>
    </div>
  );
}

function ProposalWords({ message: { proposal, review } }: Pick<OpenRowProps, "message">) {
  if (!proposal) return null;
  return (
    <div className={styles.proposal} data-returned={review === "returned" || undefined}>
      <p>
        {t(proposal.own ? "localization.proposal.own" : "localization.proposal", { name: proposal.author_name })} <Time at={proposal.submitted_at} />
      </p>
      {review === "returned" && (
        <p>
          <b>{t("localization.returned")}</b> {proposal.note && <q>{proposal.note}</q>}
        </p>
      )}
    </div>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return lines.map((line) => (
    <span key={line} className={styles.line}>
      {line}
    </span>
  ));
}
