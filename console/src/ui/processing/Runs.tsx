/** The newest runs that read or made a file. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./Processing.module.css";
import { useMayRun, useRunsOf } from "./queries";
import type { Run } from "./shapes";

const TONES: Record<Run["state"], Tone> = { running: "accent", succeeded: "success", failed: "danger", cancelled: "plain" };

export function Runs({ id }: { id: string }) {
  const may = useMayRun();
  const runs = useRunsOf(id);
  if (!may.see || !runs.data || runs.data.length === 0) return null;
  return (
    <section className={styles.runs} aria-label={t("processing.runs")}>
      <h3>{t("processing.runs")}</h3>
      <ul>
        {runs.data.map(({ id: run, title, state, created_at: at }) => (
          <li key={run}>
            <Link to="/workflows/runs/$id" params={{ id: run }}>
              {title}
            </Link>
            <Tag tone={TONES[state]}>{t(`processing.run.${state}`)}</Tag>
            <Time at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
