/** Sticky bar: save the draft, publish it; what someone else saved meanwhile is never overwritten unasked. */

import { Alert, Button } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { readings } from "@/ui/tokens/contrast";
import { Time } from "@/ui/Time";

import type { Experience } from "../api";
import styles from "./Editor.module.css";
import { completeTheme } from "./look";
import type { Editing } from "./useEditing";

export function SaveBar({ editing, experience }: { editing: Editing; experience: Experience }) {
  const [asks, setAsks] = useState(false);
  const faint = readings(completeTheme(editing.edited.theme)).filter(({ passes }) => !passes).length;
  const save = async (): Promise<void> => {
    if (await editing.save()) notice(t("funnel.saved"));
  };
  return (
    <div className={styles.bar}>
      {editing.theirs && (
        <Alert color="warning" role="alert" title={t("funnel.conflict")}>
          <p>{t("funnel.conflict.words")}</p>
          <div className={styles.buttons}>
            <Button size="xs" loading={editing.isSaving} onClick={() => void editing.saveOver()}>
              {t("funnel.conflict.mine")}
            </Button>
            <Button size="xs" variant="default" onClick={editing.takeTheirs}>
              {t("funnel.conflict.theirs")}
            </Button>
          </div>
        </Alert>
      )}
      <Fault fault={editing.fault} />
      <div className={styles.row}>
        <p role="status" className={faint ? styles.faint : "muted"}>
          {faint > 0 ? t("branding.faint", { count: faint }) : <Words editing={editing} experience={experience} />}
        </p>
        <Button variant="default" disabled={!editing.isChanged || editing.isSaving} onClick={editing.discard}>
          {t("branding.discard")}
        </Button>
        <Button variant="default" disabled={!editing.isChanged || faint > 0 || editing.theirs !== null} loading={editing.isSaving} onClick={() => void save()}>
          {t("funnel.save")}
        </Button>
        <Button disabled={editing.isChanged || experience.draft === null} onClick={() => setAsks(true)}>
          {t("funnel.publish")}
        </Button>
      </div>
      {asks && (
        <ConfirmDialog
          title={t("funnel.publish.title")}
          confirm={t("funnel.publish")}
          perform={async () => {
            await editing.publish();
            notice(t("funnel.published"));
          }}
          onClose={() => setAsks(false)}
        >
          <p>{t("funnel.publish.words", { count: editing.edited.fields.length })}</p>
          {editing.edited.judge_prompt !== (experience.published?.document.judge_prompt ?? "") && <p className="muted">{t("funnel.publish.judge")}</p>}
        </ConfirmDialog>
      )}
    </div>
  );
}

function Words({ editing, experience: { draft, draft_at: at, published } }: { editing: Editing; experience: Experience }) {
  if (editing.isChanged) return t("funnel.state.changed");
  if (draft) return <>{t("funnel.state.draft")} {at && <Time at={at} />}</>;
  if (published) return <>{t("funnel.state.published")} <Time at={published.published_at} /></>;
  return t("funnel.state.seed");
}
