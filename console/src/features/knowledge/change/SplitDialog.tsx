/** Splits mentions that are about something else off an entity. */

import { Button, Checkbox, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";

import { besides } from "../address";
import type { Entity } from "../api";
import { documentsOf, sameNames } from "../entity/documents";
import styles from "../Knowledge.module.css";
import { useSplit } from "../queries";

const LONGEST = 200;

export function SplitDialog({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const go = useNavigate();
  const split = useSplit(entity.id);
  const [chosen, setChosen] = useState<string[]>([]);
  const [name, setName] = useState("");
  const names = sameNames(documentsOf(entity));
  const isAll = chosen.length === names.length;
  const isReady = chosen.length > 0 && !isAll && name.trim() !== "";

  async function perform(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isReady) return;
    // One mention stands for all of its name in that document.
    const mentions = names.filter(({ key }) => chosen.includes(key)).flatMap(({ quotes }) => quotes.slice(0, 1).map(({ id }) => id));
    const made = await split.mutateAsync({ mentions, name: name.trim() });
    onClose();
    await go({ to: "/graph/$id", params: { id: made.id }, search: besides });
    notice(t("graph.split.done", { name: made.name }));
  }

  return (
    <Dialog wide title={t("graph.split.title", { name: entity.name })} onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void perform(event).catch(() => undefined)}>
        <p className="muted">{t("graph.split.words", { name: entity.name })}</p>
        <Checkbox.Group value={chosen} onChange={setChosen} label={t("graph.split.mentions")} error={isAll ? t("graph.split.all") : undefined}>
          <div className={styles.mentions}>
            {names.map(({ key, written, document, quotes }) => (
              <Checkbox
                key={key}
                value={key}
                label={t("graph.split.mention", { written, title: document.title })}
                description={quotes.map(({ quote }) => quote).join(" … ")}
              />
            ))}
          </div>
        </Checkbox.Group>
        <TextInput
          required
          label={t("graph.split.name")}
          description={t("graph.split.name.hint")}
          maxLength={LONGEST}
          value={name}
          error={split.error instanceof Refusal ? split.error.field("name") : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Fault fault={split.error} fields={["name"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" disabled={!isReady} loading={split.isPending}>
            {t("graph.split.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
