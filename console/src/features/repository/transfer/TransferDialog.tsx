/** A transfer under way: progress and cancel, names that are taken, and at the end what failed. */

import { Button, Checkbox } from "@mantine/core";
import { useEffect, useState, useSyncExternalStore } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { Progress } from "@/ui/Progress";

import styles from "./Transfer.module.css";
import type { Answer, Failure, Progress as Snapshot, Transfer } from "./transfer";
import type { Running } from "./useTransfer";

/** A short one needs no dialog, nor does one file: a dialog takes the focus from a list that changes meanwhile. */
const PATIENCE_MS = 400;
/** Failures that are listed. */
const MOST_SHOWN = 100;

export function TransferDialog({ running, onClose }: { running: Running; onClose: () => void }) {
  const { deed, transfer, fault } = running;
  const progress = useSyncExternalStore(transfer.subscribe, () => transfer.snapshot);
  const isOne = progress.state !== "gathering" && progress.total === 1;
  const isLong = useAfter(PATIENCE_MS) && !isOne;
  const ended = progress.state === "ended";
  if (!isLong && progress.taken.length === 0 && progress.failures.length === 0 && fault === undefined) return null;
  return (
    <Dialog title={t(`files.transfer.${deed}`)} firm={!ended} onClose={onClose}>
      {progress.taken[0] !== undefined && <Question key={progress.taken[0]} taken={progress.taken} transfer={transfer} />}
      {!ended && <UnderWay progress={progress} />}
      {ended && fault === undefined && <p>{t(`files.transfer.done.${deed}`, { count: progress.done })}</p>}
      {fault instanceof Refusal ? <Fault fault={fault} /> : fault instanceof Error && <p role="alert">{fault.message}</p>}
      {progress.failures.length > 0 && <Failures failures={progress.failures} />}
      <DialogActions>
        {ended ? (
          <Button onClick={onClose}>{t("action.close")}</Button>
        ) : (
          <Button variant="default" onClick={() => transfer.cancel()}>
            {t("action.cancel")}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function useAfter(milliseconds: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return passed;
}

function UnderWay({ progress: { state, total, done, skipped, failures } }: { progress: Snapshot }) {
  if (state === "gathering") return <p role="status">{t("files.transfer.gathering", { count: total })}</p>;
  const ended = done + skipped + failures.length;
  return (
    <>
      <p>{t("files.transfer.progress", { done: ended, count: total })}</p>
      <Progress label={t("files.transfer.all")} share={total > 0 ? ended / total : 0} />
    </>
  );
}

function Question({ taken, transfer }: { taken: readonly string[]; transfer: Transfer }) {
  const [forAll, setForAll] = useState(false);
  const choose = (answer: Answer) => () => transfer.answer(answer, forAll);
  return (
    <div className={styles.question} role="alert">
      <p>
        {t("files.taken", { key: taken[0] })} {t("files.taken.kept")}
      </p>
      <Checkbox size="sm" label={t("files.taken.for_all")} checked={forAll} onChange={(event) => setForAll(event.currentTarget.checked)} />
      <div className={styles.answers}>
        <Button size="compact-sm" onClick={choose("both")}>
          {t("files.taken.both")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={choose("replace")}>
          {t("files.taken.replace")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={choose("skip")}>
          {t("files.taken.skip")}
        </Button>
      </div>
    </div>
  );
}

function Failures({ failures }: { failures: readonly Failure[] }) {
  return (
    <section aria-label={t("files.transfer.failures")}>
      <p role="alert">{t("files.transfer.failed", { count: failures.length })}</p>
      {/* Scrolls by keyboard, too. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul className={styles.failures} tabIndex={0}>
        {failures.slice(0, MOST_SHOWN).map(({ key, fault }) => (
          <li key={key}>
            <span className={styles.failed}>{key}</span>
            <span className="muted">{fault instanceof Refusal ? fault.message : t("state.failed.unknown")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
