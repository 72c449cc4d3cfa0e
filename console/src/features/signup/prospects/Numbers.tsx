/** The funnel of the last 30 days: a bar for each step, and the numbers of each day as a table. */

import { useId } from "react";

import { dateFormat, number, t } from "@/i18n";
import { percent } from "@/ui/quantities";

import type { FunnelDay } from "../api";
import styles from "./Numbers.module.css";
import { STEPS, stepsOf } from "./steps";

export function Numbers({ days }: { days: readonly FunnelDay[] }) {
  const heading = useId();
  return (
    <figure className={styles.numbers} aria-labelledby={heading}>
      <figcaption id={heading}>{t("prospects.numbers")}</figcaption>
      <dl className={styles.steps}>
        {stepsOf(days).map(({ step, count, share, height }) => (
          <div key={step}>
            <dt>{t(`prospects.step.${step}`)}</dt>
            <dd>
              <b>{number(count)}</b>
              <span className={styles.share}>{share !== undefined && t("prospects.share", { share: percent(share) })}</span>
            </dd>
            <dd className={styles.track} aria-hidden>
              <span style={{ inlineSize: `${height * 100}%` }} />
            </dd>
          </div>
        ))}
      </dl>
      {days.length > 0 && (
        <details className={styles.days}>
          <summary>{t("prospects.by_day")}</summary>
          <DayTable days={days} />
        </details>
      )}
    </figure>
  );
}

function DayTable({ days }: { days: readonly FunnelDay[] }) {
  // Days are counted in UTC.
  const format = dateFormat({ dateStyle: "medium", timeZone: "UTC" });
  return (
    // Scrollable by keyboard, too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.table} role="region" aria-label={t("prospects.by_day")} tabIndex={0}>
      <table>
        <caption className="sr-only">{t("prospects.by_day")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("prospects.day")}</th>
            {STEPS.map((step) => (
              <th key={step} scope="col">
                {t(`prospects.step.${step}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{format.format(new Date(day.day))}</th>
              {STEPS.map((step) => (
                <td key={step}>{number(day[step] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
