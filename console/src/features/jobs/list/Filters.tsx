/** Filters of the jobs: status and type. */

import { NativeSelect } from "@mantine/core";

import { LOCAL, useExecutors } from "@/api/executors";
import { t } from "@/i18n";
import { kindWords } from "@/ui/kindWords";

import { STATES, useFilters, useRefine } from "../filters";
import type { State } from "../queries";
import styles from "./JobList.module.css";

export function Filters() {
  const { state, kind } = useFilters();
  const refine = useRefine();
  return (
    <div className={styles.filters}>
      <NativeSelect
        aria-label={t("jobs.filter.state")}
        value={state ?? ""}
        data={[{ value: "", label: t("jobs.filter.state.any") }, ...STATES.map((value) => ({ value, label: t(`jobs.state.${value}`) }))]}
        onChange={(event) => refine({ state: (event.currentTarget.value || undefined) as State | undefined })}
      />
      <NativeSelect
        aria-label={t("jobs.filter.kind")}
        value={kind ?? ""}
        data={[{ value: "", label: t("jobs.filter.kind.any") }, ...useKinds(kind).map((value) => ({ value, label: kindWords(value) }))]}
        onChange={(event) => refine({ kind: event.currentTarget.value || undefined })}
      />
    </div>
  );
}

/** Known types: this server can run all of them. One from the address stays in the list. */
function useKinds(chosen?: string): string[] {
  const all = useExecutors().data?.find((executor) => executor.id === LOCAL)?.capabilities ?? [];
  return chosen && !all.includes(chosen) ? [...all, chosen] : all;
}
