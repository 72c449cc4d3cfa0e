/** How much of the budget is left, with the details behind it. */

import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { ago, dateTime, t } from "@/i18n";
import { amount } from "@/ui/quotaWords";

import { useUsage } from "../queries";
import styles from "./Composer.module.css";
import { shareLeft, tightest } from "./gauge";

const LOW = 0.2;

export function Gauge() {
  const usage = useUsage();
  const limit = tightest(usage.data?.items ?? []);
  if (!limit) return null;
  const left = amount(limit.dimension, Math.max(0, limit.remaining ?? 0));
  const what = limit.dimension === "ai.requests" ? "requests" : "tokens";
  const words = t(`chat.left.${what}`, { left });
  const share = shareLeft(limit);
  const more = [
    t("chat.left.of", { left, limit: amount(limit.dimension, limit.limit ?? 0) }),
    t(`usage.level.${limit.level}`),
    ...(limit.resets_at ? [t("usage.resets", { when: ago(limit.resets_at), at: dateTime(limit.resets_at) })] : []),
  ].join(" · ");
  return (
    <Tooltip label={more} openDelay={200}>
      <Link to="/settings/team/usage" className={styles.gauge} data-low={share < LOW || undefined} aria-label={`${words}. ${more}`}>
        <svg viewBox="0 0 20 20" width={15} height={15} aria-hidden>
          <circle cx={10} cy={10} r={8} className={styles.ring} />
          <circle cx={10} cy={10} r={8} className={styles.left} pathLength={100} strokeDasharray={`${share * 100} 100`} transform="rotate(-90 10 10)" />
        </svg>
        {words}
      </Link>
    </Tooltip>
  );
}
