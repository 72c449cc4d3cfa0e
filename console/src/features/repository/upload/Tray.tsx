/** Upload tray: progress, cancel and retry per file, and name conflicts. */

import { ActionIcon, Button, Checkbox, CloseButton, Collapse } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { t } from "@/i18n";
import { Progress } from "@/ui/Progress";

import { FILES } from "../keys";
import type { Answer, Upload } from "./queue";
import styles from "./Tray.module.css";
import { TrayRow } from "./TrayRow";
import { uploading } from "./uploading";
import { uploads, useUploads } from "./uploads";

export default function Tray() {
  const all = useUploads();
  const [open, setOpen] = useState(true);
  const question = all.find(({ state }) => state === "asks");
  useFreshLists(all);
  useEffect(() => {
    if (question) setOpen(true);
  }, [question]);
  if (all.length === 0) return null;
  const Arrow = open ? IconChevronDown : IconChevronUp;
  return (
    <section className={styles.tray} aria-label={t("files.tray")}>
      <header className={styles.head}>
        <p role="status">{summary(all)}</p>
        <ActionIcon variant="subtle" color="gray" size={32} aria-expanded={open} aria-label={t(open ? "files.tray.fold" : "files.tray.unfold")} onClick={() => setOpen(!open)}>
          <Arrow aria-hidden size={18} />
        </ActionIcon>
        {!uploads.busy && <CloseButton size={32} iconSize={18} aria-label={t("files.tray.close")} onClick={close} />}
      </header>
      {uploads.busy && <TotalProgress all={all} />}
      <Collapse expanded={open}>
        {question && <Question key={question.id} upload={question} others={all.filter(({ state }) => state === "asks" || state === "waiting" || state === "sending").length - 1} />}
        {/* What scrolls must scroll by key too. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <ul className={styles.rows} aria-label={t("files.tray.list")} tabIndex={0}>
          {all.map((upload) => (
            <TrayRow key={upload.id} upload={upload} />
          ))}
        </ul>
        {uploads.busy && all.length > 1 && (
          <p className={styles.foot}>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => uploads.cancelAll()}>
              {t("files.tray.cancel_all")}
            </Button>
          </p>
        )}
      </Collapse>
    </section>
  );
}

function close(): void {
  uploads.clear();
  uploading.close();
}

function summary(all: readonly Upload[]): string {
  const count = (...states: Upload["state"][]): number => all.filter(({ state }) => states.includes(state)).length;
  const failed = count("failed");
  if (uploads.busy) return t("files.tray.busy", { done: count("done", "skipped"), count: all.length - count("stopped") });
  if (failed > 0) return t("files.tray.failed", { failed, done: count("done") });
  return t("files.tray.done", { count: count("done") });
}

/** Total progress, while the tray is collapsed. */
function TotalProgress({ all }: { all: readonly Upload[] }) {
  const counted = all.filter(({ state }) => state !== "stopped" && state !== "skipped" && state !== "failed");
  const sum = (of: (upload: Upload) => number): number => counted.reduce((total, upload) => total + of(upload), 0);
  // An empty file counts, too: it takes a request.
  return (
    <div className={styles.whole}>
      <Progress label={t("files.tray.all")} share={sum(({ sent, state }) => sent + Number(state === "done")) / Math.max(1, sum(({ size }) => size + 1))} />
    </div>
  );
}

function Question({ upload, others }: { upload: Upload; others: number }) {
  const [forAll, setForAll] = useState(false);
  const choose = (answer: Answer) => () => uploads.answer(upload.id, answer, forAll);
  return (
    <div className={styles.question} role="alert">
      <p>
        {upload.taken === "hidden" ? t("files.taken.hidden", { key: upload.key }) : `${t("files.taken", { key: upload.key })} ${t("files.taken.kept")}`}
      </p>
      {others > 0 && (
        <Checkbox size="sm" label={t("files.taken.for_all")} checked={forAll} onChange={(event) => setForAll(event.currentTarget.checked)} />
      )}
      <div className={styles.answers}>
        {upload.taken !== "hidden" && (
          <Button size="compact-sm" onClick={choose("replace")}>
            {t("files.taken.replace")}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={choose("both")}>
          {t("files.taken.both")}
        </Button>
        <Button size="compact-sm" variant="default" onClick={choose("skip")}>
          {t("files.taken.skip")}
        </Button>
      </div>
    </div>
  );
}

/** Refetches the lists, debounced over many uploads. */
function useFreshLists(all: readonly Upload[]): void {
  const client = useQueryClient();
  const done = all.filter(({ state }) => state === "done").length;
  const look = useDebouncedCallback(() => void client.invalidateQueries({ queryKey: FILES }), 250);
  useEffect(() => {
    if (done > 0) look();
  }, [done, look]);
}
