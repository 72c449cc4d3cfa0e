/** One dimension as a bar: share of the limit, whose limit it is, and when it resets. */

import { IconAlertTriangle, IconInfinity, IconTrendingUp } from "@tabler/icons-react";

import { t } from "@/i18n";
import { percent } from "@/ui/quantities";
import { amount, isStorage } from "@/ui/quotaWords";
import { Tag } from "@/ui/Tag";

import { forecastOf } from "./forecast";
import type { Usage } from "./queries";
import styles from "./Usage.module.css";
import { amountOf, resetOf, share, spentWords, stateOf, type State } from "./words";

const TONES = { fine: "success", early: "warning", close: "warning", spent: "danger", unlimited: "plain" } as const;

export function UsageBar({ usage }: { usage: Usage }) {
  const state = stateOf(usage);
  return (
    <div className={styles.bar}>
      <div className={styles.head}>
        <div>
          <h2>{t(`usage.${usage.dimension}`)}</h2>
          <p className="muted">{t(`usage.${usage.dimension}.words`)}</p>
        </div>
        <Verdict state={state} />
      </div>
      <p className={styles.amount}>
        <b>{amountOf(usage)}</b>
        {usage.window && usage.limit !== 0 && !isStorage(usage.dimension) && <span className="muted">{t(`usage.since.${usage.window}`)}</span>}
        {Boolean(usage.limit) && <span className={styles.percent}>{percent(share(usage))}</span>}
      </p>
      {state === "unlimited" ? <div className={styles.endless} /> : <Track usage={usage} state={state} />}
      <p className={styles.foot}>
        {usage.limit === null ? (
          <span>{t("usage.unlimited.words")}</span>
        ) : (
          <>
            <span>{t("usage.left", { left: amount(usage.dimension, usage.remaining ?? 0) })}</span>
            <span>{t(`usage.level.${usage.level}`)}</span>
          </>
        )}
        {usage.window && usage.reserved > 0 && <span>{t("usage.reserved", { count: amount(usage.dimension, usage.reserved) })}</span>}
        {usage.limit !== null && resetOf(usage) && <span>{resetOf(usage)}</span>}
      </p>
      {state === "spent" ? <p className={styles.alert}>{spentWords(usage)}</p> : <Heading usage={usage} />}
    </div>
  );
}

function Heading({ usage }: { usage: Usage }) {
  const forecast = forecastOf(usage);
  if (!forecast) return null;
  return (
    <p className={styles.forecast} data-over={forecast.over || undefined}>
      {forecast.over ? <IconAlertTriangle aria-hidden size={15} /> : <IconTrendingUp aria-hidden size={15} />}
      {forecast.words}
    </p>
  );
}

function Verdict({ state }: { state: State }) {
  return (
    <Tag tone={TONES[state]}>
      {state === "unlimited" && <IconInfinity aria-hidden size={14} />}
      {TONES[state] !== "success" && state !== "unlimited" && <IconAlertTriangle aria-hidden size={13} />}
      {t(`usage.state.${state}`)}
    </Tag>
  );
}

function Track({ usage, state }: { usage: Usage; state: State }) {
  const gone = share(usage) * 100;
  const reserved = usage.limit && usage.window ? Math.min(gone, (usage.reserved / usage.limit) * 100) : 0;
  return (
    <div className={styles.track} data-state={state}>
      <i style={{ width: `${gone - reserved}%` }} />
      {reserved > 0 && <i className={styles.held} style={{ width: `${reserved}%` }} />}
    </div>
  );
}
