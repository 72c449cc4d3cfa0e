/** Exports an audit log as a file, and explains how to verify it offline. */

import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { numberFormat, t, wallTime } from "@/i18n";

import { Copyable } from "../Copyable";
import { Dialog, DialogActions } from "../Dialog";
import { Fault } from "../forms";
import { saveFile } from "../saveFile";
import { countOf, queryOf, useFilters } from "./filters";
import type { TrailSource } from "./source";
import styles from "./Trail.module.css";

/** Export button, for the page header. */
export function ExportButton({ source }: { source: TrailSource }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconDownload aria-hidden size={16} />} onClick={() => setOpened(true)}>
        {t("audit.export")}
      </Button>
      {opened && <ExportDialog source={source} onClose={() => setOpened(false)} />}
    </>
  );
}

function ExportDialog({ source, onClose }: { source: TrailSource; onClose: () => void }) {
  const [filters] = useFilters();
  const filtered = countOf(filters) > 0;
  const name = `audit-${source.name}-${wallTime(Date.now()).slice(0, 10)}.jsonl`;
  const taking = useMutation({
    mutationFn: () => source.take(queryOf(filters)),
    onSuccess: (lines) => saveFile(name, lines),
  });
  const whole = !filtered && !source.partial;
  const command = `teamspace audit verify ${whole ? "--whole " : ""}${name}`;
  return (
    <Dialog title={t("audit.export.title")} onClose={onClose} wide>
      <p>{t("audit.export.words")}</p>
      <p className="muted">{filtered ? t("audit.export.filtered") : t("audit.export.whole")}</p>
      <div className={styles.verify}>
        <p>{t("audit.export.verify")}</p>
        <Copyable value={command} label={t("audit.export.verify.command")} />
        {!whole && <p className="muted">{t("audit.export.gaps")}</p>}
      </div>
      <p role="status">{taking.data && t("audit.export.done", { name, size: sizeOf(taking.data.size) })}</p>
      <Fault fault={taking.error} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.close")}
        </Button>
        <Button data-autofocus loading={taking.isPending} onClick={() => taking.mutate()}>
          {t("audit.export.do")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function sizeOf(bytes: number): string {
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return numberFormat({ style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}
