/** Audit log: filters, events by day, newest first, and export. The source says whose it is. */

import { IconListSearch, IconTimeline } from "@tabler/icons-react";
import { Button } from "@mantine/core";
import { useMemo } from "react";

import { dateFormat, t } from "@/i18n";

import { Endless, useEndless } from "../endless";
import { Empty, Failed, Loading } from "../states";
import { EventLine } from "./EventLine";
import { FilterBar } from "./FilterBar";
import { countOf, NONE, queryOf, useFilters, type Filters } from "./filters";
import type { TrailEvent, TrailSource } from "./source";
import styles from "./Trail.module.css";

export function Trail({ source }: { source: TrailSource }) {
  const [filters, change] = useFilters();
  const query = queryOf(filters);
  const trail = useEndless(["audit", source.name, query], (cursor) => source.read({ ...query, cursor }));
  const seen = useMemo(() => [...new Set((trail.data ?? []).map((event) => event.action))], [trail.data]);
  return (
    <>
      <FilterBar filters={filters} onChange={change} people={source.people} seen={seen} />
      {trail.isPending && <Loading />}
      {trail.isError && !trail.data && <Failed error={trail.error} again={() => void trail.refetch()} />}
      {trail.data?.length === 0 && <Nothing filters={filters} onClear={() => change(NONE)} />}
      <Days events={trail.data ?? []} source={source} onFilter={change} />
      <Endless query={trail} />
    </>
  );
}

function Nothing({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  if (countOf(filters) === 0) {
    return (
      <Empty title={t("audit.empty")} icon={IconTimeline}>
        {t("audit.empty.words")}
      </Empty>
    );
  }
  return (
    <Empty
      title={t("audit.none")}
      icon={IconListSearch}
      action={
        <Button variant="default" onClick={onClear}>
          {t("audit.filter.clear")}
        </Button>
      }
    >
      {t("audit.none.words")}
    </Empty>
  );
}

interface DaysProps {
  events: readonly TrailEvent[];
  source: TrailSource;
  onFilter: (change: Filters) => void;
}

function Days({ events, source, onFilter }: DaysProps) {
  return byDay(events).map(([day, ofThatDay]) => (
    <section key={day} className={styles.day} aria-label={day}>
      <h2>{day}</h2>
      <ol>
        {ofThatDay.map((event) => (
          <EventLine key={event.id} event={event} source={source} onFilter={onFilter} />
        ))}
      </ol>
    </section>
  ));
}

function byDay(events: readonly TrailEvent[]): [string, TrailEvent[]][] {
  const format = dateFormat({ dateStyle: "full" });
  const days = new Map<string, TrailEvent[]>();
  for (const event of events) {
    const day = format.format(new Date(event.at));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}
