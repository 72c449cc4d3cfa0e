/** List header: new job, and filters. */

import { Button, NativeSelect } from "@mantine/core";
import { IconMessageBolt } from "@tabler/icons-react";

import { LOCAL, useExecutors } from "@/api/executors";
import { t } from "@/i18n";
import { kindWords } from "@/ui/kindWords";

import { STATES, useFilters, useRefine } from "../filters";
import { making, useMayAsk } from "../making";
import type { State } from "../queries";
import styles from "./JobList.module.css";

export function ListHead({ level }: { level: 1 | 2 }) {
  const mayAsk = useMayAsk();
  const { state, kind } = useFilters();
  const refine = useRefine();
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <Heading>{t("jobs.title")}</Heading>
        {mayAsk && (
          <Button size="compact-sm" leftSection={<IconMessageBolt aria-hidden size={14} />} onClick={making.open}>
            {t("jobs.new")}
          </Button>
        )}
      </div>
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
    </header>
  );
}

/** Known types: this server can run all of them. One from the address stays in the list. */
function useKinds(chosen?: string): string[] {
  const all = useExecutors().data?.find((executor) => executor.id === LOCAL)?.capabilities ?? [];
  return chosen && !all.includes(chosen) ? [...all, chosen] : all;
}
