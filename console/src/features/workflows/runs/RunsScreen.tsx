/** The team's runs, with filters. */

import { Button, NativeSelect } from "@mantine/core";
import { IconFilterOff, IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { byName, t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Empty, Failed, Loading } from "@/ui/states";

import { RUN_STATES, type RunState } from "../api";
import { Area } from "../Area";
import { useDefinitions, useRuns } from "../queries";
import { titleOf } from "../words";
import { useFilters, useRefine } from "./filters";
import styles from "./Runs.module.css";
import { RunTable } from "./RunTable";

export default function RunsScreen() {
  return (
    <Area title={t("workflows.runs")} intro={t("workflows.runs.intro")}>
      <Filters />
      <Runs />
    </Area>
  );
}

function Filters() {
  const { state, slug, object } = useFilters();
  const refine = useRefine();
  const definitions = useDefinitions();
  const known = [...(definitions.data ?? [])].sort((one, other) => byName(titleOf(one), titleOf(other))).map((one) => ({ value: one.slug, label: titleOf(one) }));
  // One from the address stays in the list.
  const choices = slug && !known.some(({ value }) => value === slug) ? [...known, { value: slug, label: slug }] : known;
  return (
    <div className={styles.filters}>
      <NativeSelect
        aria-label={t("workflows.filter.state")}
        value={state ?? ""}
        data={[{ value: "", label: t("workflows.filter.state.any") }, ...RUN_STATES.map((value) => ({ value, label: t(`workflows.state.${value}`) }))]}
        onChange={(event) => refine({ state: (event.currentTarget.value || undefined) as RunState | undefined })}
      />
      <NativeSelect
        aria-label={t("workflows.filter.workflow")}
        value={slug ?? ""}
        data={[{ value: "", label: t("workflows.filter.workflow.any") }, ...choices]}
        onChange={(event) => refine({ slug: event.currentTarget.value || undefined })}
      />
      {object && (
        <Button variant="default" leftSection={<IconFilterOff aria-hidden size={14} />} onClick={() => refine({ object: undefined })}>
          {t("workflows.filter.object")}
        </Button>
      )}
    </div>
  );
}

function Runs() {
  const filters = useFilters();
  const runs = useRuns(filters);
  if (runs.isPending) return <Loading />;
  if (!runs.data) return <Failed error={runs.error} again={() => void runs.refetch()} />;
  if (runs.data.length === 0) return <None />;
  return (
    <>
      <RunTable runs={runs.data} caption={t("workflows.runs")} />
      <Endless query={runs} />
    </>
  );
}

function None() {
  const { state, slug, object } = useFilters();
  const refine = useRefine();
  if (state || slug || object) {
    return (
      <Empty
        title={t("workflows.runs.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ state: undefined, slug: undefined, object: undefined })}>
            {t("workflows.filter.none")}
          </Button>
        }
      />
    );
  }
  return (
    <Empty title={t("workflows.runs.none")} icon={IconPlayerPlay} action={<Link to="/workflows">{t("workflows.runs.none.link")}</Link>}>
      {t("workflows.runs.none.words")}
    </Empty>
  );
}
