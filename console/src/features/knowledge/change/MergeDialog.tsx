/** Merges an entity into another that is the same thing. */

import { Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";

import { besides } from "../address";
import type { Entity, EntityItem } from "../api";
import styles from "../Knowledge.module.css";
import { useChoices, useMerge } from "../queries";
import { PICTURES } from "../types";
import { countWords } from "../words";

export function MergeDialog({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const go = useNavigate();
  const merge = useMerge(entity.id);
  const [chosen, setChosen] = useState<EntityItem | null>(null);

  async function perform(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!chosen) return;
    const merged = await merge.mutateAsync(chosen.id);
    onClose();
    await go({ to: "/graph/$id", params: { id: merged.id }, search: besides });
    notice(t("graph.merged", { name: entity.name, into: chosen.name }));
  }

  return (
    <Dialog title={t("graph.merge.title", { name: entity.name })} onClose={onClose}>
      <form className={styles.form} onSubmit={(event) => void perform(event).catch(() => undefined)}>
        <p className="muted">{t("graph.merge.words", { name: entity.name })}</p>
        <EntitySelect but={entity.id} chosen={chosen} onChoose={setChosen} />
        {chosen && <p aria-live="polite">{t("graph.merge.effect", { name: entity.name, into: chosen.name })}</p>}
        <p className="muted">{t("graph.merge.undo")}</p>
        <Fault fault={merge.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" disabled={!chosen} loading={merge.isPending}>
            {t("graph.merge")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface SelectProps {
  /** The entity that can't be chosen. */
  but: string;
  chosen: EntityItem | null;
  onChoose: (entity: EntityItem | null) => void;
}

const PAUSE = 150;

function EntitySelect({ but, chosen, onChoose }: SelectProps) {
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(chosen && typed === chosen.name ? "" : typed.trim(), PAUSE);
  const choices = useChoices(asked);
  const found = choices.data?.filter(({ id }) => id !== but) ?? [];
  const all = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  const known = new Map(all.map((entity) => [entity.id, entity]));
  return (
    <Select
      label={t("graph.merge.into")}
      placeholder={t("graph.merge.into.hint")}
      nothingFoundMessage={choices.isError ? choices.error.message : choices.isFetching ? t("state.loading") : t("graph.none.filtered")}
      searchable
      clearable
      openOnFocus={false}
      data-autofocus
      // The server filters, over more than what's loaded here.
      filter={({ options }) => options}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen?.id ?? null}
      onChange={(value) => onChoose(value ? (known.get(value) ?? null) : null)}
      searchValue={typed}
      onSearchChange={setTyped}
      renderOption={({ option }) => <Choice entity={known.get(option.value)} />}
    />
  );
}

function Choice({ entity }: { entity?: EntityItem }) {
  if (!entity) return null;
  const Picture = PICTURES[entity.type];
  return (
    <span className={styles.choice}>
      <Picture aria-hidden size={16} stroke={1.6} />
      <span>
        <b>{entity.name}</b>
        <span className="muted">
          {t(`graph.types.${entity.type}`)} · {countWords(entity)}
        </span>
      </span>
    </span>
  );
}
