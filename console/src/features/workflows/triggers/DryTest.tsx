/** Which triggers an upload to a key would fire, and why not the others. */

import { Button, TextInput } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";

import { t } from "@/i18n";
import { Forward } from "@/ui/Back";
import { Fault } from "@/ui/forms";
import { Tag } from "@/ui/Tag";

import type { TriggerItem } from "../api";
import { useTryKey, type Upload } from "../queries";
import { reasonWords } from "../words";
import styles from "./Triggers.module.css";
import { matchWords } from "./words";
import { WorkflowLink } from "./WorkflowLink";

export function DryTest() {
  const [key, setKey] = useState("");
  const [type, setType] = useState("");
  const [asked, setAsked] = useState<Upload | null>(null);
  const test = useTryKey(asked);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (key.trim()) setAsked({ key: key.trim(), type: type.trim() });
  };
  return (
    <>
      <form className={styles.test} aria-label={t("workflows.try_key")} onSubmit={submit}>
        <TextInput label={t("workflows.try_key.key")} placeholder="invoices/2026-11.pdf" maxLength={1024} required value={key} onChange={(event) => setKey(event.currentTarget.value)} />
        <TextInput label={t("workflows.try_key.type")} placeholder={t("workflows.try_key.type.any")} maxLength={255} value={type} onChange={(event) => setType(event.currentTarget.value)} />
        <Button type="submit" variant="default" loading={test.isFetching}>
          {t("workflows.try_key.do")}
        </Button>
      </form>
      <Fault fault={test.error} />
      <div aria-live="polite">{test.data && asked && <Outcome upload={asked} triggers={test.data} />}</div>
    </>
  );
}

function Outcome({ upload, triggers }: { upload: Upload; triggers: readonly TriggerItem[] }) {
  const fired = triggers.filter((trigger) => trigger.would_fire);
  const others = triggers.filter((trigger) => !trigger.would_fire);
  return (
    <div className={styles.outcome}>
      <p>
        <b>{t("workflows.try_key.outcome", { key: upload.key, count: fired.length })}</b>
      </p>
      <ul>
        {[...fired, ...others].map((trigger) => (
          <li key={trigger.id}>
            <Tag tone={trigger.would_fire ? "success" : "plain"}>
              {trigger.would_fire ? <IconCheck aria-hidden size={13} /> : <IconX aria-hidden size={13} />}
              {t(trigger.would_fire ? "workflows.try_key.fires" : "workflows.try_key.silent")}
            </Tag>
            <span>
              {matchWords(trigger)} <Forward /> <WorkflowLink slug={trigger.workflow_slug} />
              {trigger.reason && <span className={styles.reason}>{reasonWords(trigger.reason)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
