/** Branding editor with a live preview, for a company or the instance. */

import { useEffect, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { notice } from "@/ui/notice";

import { useDraft, type Changes } from "../draft";
import type { Branding } from "../queries";
import { BASE } from "@/ui/tokens/tokens";
import styles from "./BrandingEditor.module.css";
import { Colours } from "./Colours";
import { Contrast } from "./Contrast";
import { Identity } from "./Identity";
import { Leaving } from "@/ui/Leaving";
import { Previews } from "./Preview";
import { SaveBar } from "./SaveBar";
import { Shape } from "./Shape";

interface Props {
  plane: "company" | "instance";
  branding: Branding;
  mayChange: boolean;
  save: (changes: Changes) => Promise<unknown>;
}

const FIELDS = ["title", "tagline", "logo", ...Object.keys(BASE)];

export function BrandingEditor({ plane, branding, mayChange, save }: Props) {
  const draft = useDraft(branding);
  const [saving, setSaving] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const refusalOf = (field: string): string | undefined => (fault instanceof Refusal ? fault.field(field) : undefined);

  // Errors refer to the previous draft.
  useEffect(() => setFault(null), [draft.look]);

  async function send(): Promise<void> {
    setSaving(true);
    setFault(null);
    try {
      await save(draft.changes);
      draft.discard();
      notice(t("branding.saved"));
    } catch (refusal) {
      setFault(refusal);
    } finally {
      setSaving(false);
    }
  }

  const shared = { draft, disabled: !mayChange };
  return (
    <div className={styles.editor}>
      <div className={styles.preview}>
        <Previews look={draft.look} />
        <Contrast draft={draft} />
      </div>
      <div className={styles.form}>
        <Identity {...shared} plane={plane} refusalOf={refusalOf} />
        <Colours {...shared} refusalOf={refusalOf} />
        <Shape {...shared} />
        {mayChange && <SaveBar draft={draft} saving={saving} fault={fault} told={FIELDS} onSave={() => void send()} />}
      </div>
      <Leaving unsaved={draft.changed && !saving} />
    </div>
  );
}
