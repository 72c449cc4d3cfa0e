/** Sticky save bar: unsaved changes, or why they can't be saved. */

import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Fault } from "@/ui/forms";

import type { Draft } from "../draft";
import styles from "./SaveBar.module.css";

interface Props {
  draft: Draft;
  saving: boolean;
  fault: unknown;
  /** Fields that show the error already. */
  told: readonly string[];
  onSave: () => void;
}

export function SaveBar({ draft, saving, fault, told, onSave }: Props) {
  const faint = draft.readings.filter((reading) => !reading.passes).length;
  return (
    <div className={styles.bar}>
      <Fault fault={fault} fields={told} />
      <div className={styles.row}>
        <p role="status" className={faint ? styles.faint : "muted"}>
          {faint > 0 && <IconAlertTriangle aria-hidden size={15} />}
          {wordsOf(draft, faint)}
        </p>
        <Button variant="default" disabled={!draft.changed || saving} onClick={draft.discard}>
          {t("branding.discard")}
        </Button>
        <Button disabled={!draft.changed || faint > 0} loading={saving} onClick={onSave}>
          {t("action.save")}
        </Button>
      </div>
    </div>
  );
}

function wordsOf(draft: Draft, faint: number): string {
  if (faint > 0) return t("branding.faint", { count: faint });
  return draft.changed ? t("branding.unsaved", { count: Object.keys(draft.changes).length }) : t("branding.readable", { count: draft.readings.length });
}
