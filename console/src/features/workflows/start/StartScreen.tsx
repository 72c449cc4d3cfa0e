/** Starts a run: a form from the declared inputs, and what the run would cost. */

import { Button } from "@mantine/core";
import { IconCalculator, IconPlayerPlay } from "@tabler/icons-react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useState, type FormEvent } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Failed, Loading } from "@/ui/states";

import type { DefinitionDetail } from "../api";
import { Item } from "../Area";
import { useDefinition, useStart, useTry } from "../queries";
import { specOf } from "../spec/shapes";
import { titleOf } from "../words";
import { useTyped } from "./drafts";
import { Earlier, useEarlier, type EarlierRun } from "./Earlier";
import { Estimate } from "./Estimate";
import { focusFirstError, parse, typedOf, type Inputs, type Typed } from "./fields";
import { InputFields } from "./InputFields";
import styles from "./Start.module.css";

export default function StartScreen() {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const definition = useDefinition(slug);
  const earlier = useEarlier(slug);
  if (definition.data && earlier !== "pending") return <Start key={`${slug} ${earlier?.id}`} definition={definition.data} earlier={earlier} />;
  return (
    <Item back="/workflows" title={slug}>
      {definition.isError ? <Failed error={definition.error} again={() => void definition.refetch()} /> : <Loading />}
    </Item>
  );
}

function Start({ definition, earlier }: { definition: DefinitionDetail; earlier?: EarlierRun }) {
  const { slug } = definition;
  const go = useNavigate();
  const inputs = useMemo<Inputs>(() => Object.fromEntries(specOf(definition.spec)?.inputs ?? []), [definition.spec]);
  const { typed, type, drop } = useTyped(slug, typedOf(inputs, earlier?.input), earlier?.id);
  const [isChecked, setChecked] = useState(false);
  const start = useStart(slug);
  const estimate = useTry(slug);
  const { values, errors } = parse(inputs, typed);
  const isRight = Object.keys(errors).length === 0;
  const fault = start.error ?? estimate.error;

  const change = (now: Typed): void => {
    type(now);
    start.reset();
    estimate.reset();
  };

  async function run(event: FormEvent): Promise<void> {
    event.preventDefault();
    setChecked(true);
    if (!isRight) return focusFirstError(event.currentTarget);
    const { id } = await start.mutateAsync(values);
    drop();
    notice(t("workflows.started"));
    await go({ to: "/workflows/runs/$id", params: { id } });
  }

  function tryOut(): void {
    setChecked(true);
    if (isRight) estimate.mutate(values);
  }

  const isFilled = earlier?.input !== undefined;
  useEffect(() => {
    if (isFilled) tryOut();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, with what the earlier run was given
  }, [isFilled]);

  return (
    <Item back="/workflows" title={t("workflows.start", { title: titleOf(definition) })} intro={definition.description || undefined}>
      <form className={styles.form} aria-label={t("workflows.start", { title: titleOf(definition) })} noValidate onSubmit={(event) => void run(event).catch(() => undefined)}>
        {earlier && <Earlier run={earlier} version={definition.version} />}
        {Object.keys(inputs).length === 0 && <p className="muted">{t("workflows.start.no_inputs")}</p>}
        <InputFields inputs={inputs} typed={typed} errors={isChecked ? { ...errors, ...refusedFields(fault, Object.keys(inputs)) } : {}} onChange={change} />
        <Fault fault={fault} fields={Object.keys(inputs)} />
        <div className={styles.actions}>
          <Button type="submit" leftSection={<IconPlayerPlay aria-hidden size={16} />} loading={start.isPending}>
            {t("workflows.run")}
          </Button>
          <Button variant="default" leftSection={<IconCalculator aria-hidden size={16} />} loading={estimate.isPending} onClick={tryOut}>
            {t("workflows.try")}
          </Button>
        </div>
        <div className={styles.estimate} aria-live="polite">{estimate.data && <Estimate dryRun={estimate.data} />}</div>
      </form>
    </Item>
  );
}

/** What the server says about a field. */
function refusedFields(fault: unknown, names: readonly string[]): Record<string, string> {
  if (!(fault instanceof Refusal)) return {};
  return Object.fromEntries(names.flatMap((name) => (fault.field(name) ? [[name, fault.field(name) ?? ""]] : [])));
}
