/** Makes or changes a trigger: which uploads, which workflow, and what else it is given. */

import { Alert, Button, NativeSelect, Switch, TagsInput, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";

import { byName, t } from "@/i18n";
import { useSession } from "@/session";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Loading } from "@/ui/states";

import type { Definition, Trigger } from "../api";
import { useDefinitions, useTriggerChanges } from "../queries";
import { focusFirstError, parse, typedOf, type Inputs, type Typed } from "../start/fields";
import { InputFields } from "../start/InputFields";
import { titleOf } from "../words";
import styles from "./Triggers.module.css";

interface Props {
  /** Absent for a new one. */
  trigger?: Trigger;
  onClose: () => void;
}

export function TriggerDialog({ trigger, onClose }: Props) {
  const definitions = useDefinitions();
  const title = t(trigger ? "workflows.trigger.edit" : "workflows.trigger.new");
  return (
    <Dialog title={title} onClose={onClose} wide>
      {definitions.isPending && <Loading />}
      {definitions.isError && !definitions.data && <Fault fault={definitions.error} />}
      {definitions.data && <Form trigger={trigger} definitions={definitions.data} onClose={onClose} />}
    </Dialog>
  );
}

/** The upload gives this one. */
const FILLED = "object_id";

const MOST_TYPES = 20;

/** The inputs that a person gives. */
const givenOf = (definition: Definition | undefined): Inputs => Object.fromEntries(Object.entries(definition?.inputs ?? {}).filter(([name]) => name !== FILLED)) as Inputs;

function Form({ trigger, definitions, onClose }: Props & { definitions: readonly Definition[] }) {
  const { me } = useSession();
  const { save } = useTriggerChanges();
  const sorted = [...definitions].sort((one, other) => byName(titleOf(one), titleOf(other)));
  const [slug, setSlug] = useState(trigger?.workflow_slug ?? sorted.find((one) => FILLED in one.inputs)?.slug ?? sorted[0]?.slug ?? "");
  const [prefix, setPrefix] = useState(trigger?.match_prefix ?? "");
  const [types, setTypes] = useState(trigger?.match_types ?? []);
  const [derived, setDerived] = useState(trigger?.fire_on_derived ?? false);
  const [enabled, setEnabled] = useState(trigger?.enabled ?? true);
  const definition = definitions.find((one) => one.slug === slug);
  const inputs = givenOf(definition);
  const [typed, setTyped] = useState<Typed>(() => typedOf(inputs, trigger?.input));
  const [isChecked, setChecked] = useState(false);
  const { values, errors } = parse(inputs, { ...typedOf(inputs), ...typed });
  const fault = save.error;

  async function send(event: FormEvent): Promise<void> {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(errors).length > 0) return focusFirstError(event.currentTarget);
    const draft = { workflow_slug: slug, match_prefix: prefix, match_types: types, input: values, fire_on_derived: derived, enabled };
    await save.mutateAsync({ id: trigger?.id, draft });
    notice(t(trigger ? "workflows.trigger.saved" : "workflows.trigger.created"));
    onClose();
  }

  if (sorted.length === 0) return <p>{t("workflows.trigger.no_workflows")}</p>;
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void send(event).catch(() => undefined)}>
      <NativeSelect
        label={t("workflows.trigger.field.workflow")}
        value={slug}
        data={[
          ...(definition ? [] : [{ value: slug, label: slug }]),
          ...sorted.map((one) => ({ value: one.slug, label: titleOf(one) })),
        ]}
        onChange={(event) => {
          const next = definitions.find((one) => one.slug === event.currentTarget.value);
          setSlug(event.currentTarget.value);
          setTyped({ ...typedOf(givenOf(next)), ...typed });
        }}
      />
      {definition && !(FILLED in definition.inputs) && (
        <Alert color="warning" role="note">
          {t("workflows.trigger.no_object")}
        </Alert>
      )}
      <TextInput label={t("workflows.trigger.field.prefix")} description={t("workflows.trigger.field.prefix.hint")} placeholder="invoices/" maxLength={1024} value={prefix} onChange={(event) => setPrefix(event.currentTarget.value)} />
      <TagsInput
        label={t("workflows.trigger.field.types")}
        description={t("workflows.trigger.field.types.hint")}
        acceptValueOnBlur
        maxTags={MOST_TYPES}
        value={types}
        onChange={setTypes}
      />
      {Object.keys(inputs).length > 0 && (
        <fieldset className={styles.inputs}>
          <legend>{t("workflows.inputs")}</legend>
          {definition && FILLED in definition.inputs && <p className="muted">{t("workflows.trigger.inputs.hint")}</p>}
          <InputFields inputs={inputs} typed={{ ...typedOf(inputs), ...typed }} errors={isChecked ? errors : {}} onChange={setTyped} />
        </fieldset>
      )}
      <Switch label={t("workflows.trigger.field.derived")} description={t("workflows.trigger.field.derived.hint")} checked={derived} onChange={(event) => setDerived(event.currentTarget.checked)} />
      <Switch label={t("workflows.trigger.field.enabled")} checked={enabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
      {trigger && trigger.author !== me.user.id && (
        <p className="muted" role="note">
          {t("workflows.trigger.becomes")}
        </p>
      )}
      <Fault fault={fault} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {trigger ? t("action.save") : t("workflows.trigger.create")}
        </Button>
      </DialogActions>
    </form>
  );
}
