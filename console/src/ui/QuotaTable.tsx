/** Limits and usage of a company or a team. */

import type { ReactNode } from "react";

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";

import { DataTable } from "./DataTable";
import { Meter } from "./Meter";
import styles from "./QuotaTable.module.css";
import { amount, isStorage } from "./quotaWords";
import { Time } from "./Time";

export type Quota = Schemas["Usage"];

interface Props {
  caption: string;
  quotas: readonly Quota[];
  actions?: (quota: Quota) => ReactNode;
  /** Tag after the limit. */
  mark?: (quota: Quota) => ReactNode;
}

export function QuotaTable({ caption, quotas, actions, mark }: Props) {
  return (
    <DataTable
      caption={caption}
      rows={quotas}
      keyOf={(quota) => quota.dimension}
      actions={actions}
      columns={[
        { title: t("quotas.column.what"), cell: (quota) => <What quota={quota} /> },
        {
          title: t("quotas.column.limit"),
          cell: (quota) => (
            <span className={styles.limit}>
              {limitOf(quota)} {mark?.(quota)}
            </span>
          ),
        },
        { title: t("quotas.column.used"), cell: (quota) => <Used quota={quota} /> },
        {
          title: t("quotas.column.resets"),
          cell: (quota) => (quota.resets_at ? <Time at={quota.resets_at} /> : <span className="muted">{t("quotas.resets.never")}</span>),
        },
      ]}
    />
  );
}

function What({ quota }: { quota: Quota }) {
  return (
    <span className={styles.what}>
      <b>{t(`quotas.dimension.${quota.dimension}`)}</b>
      <span className="muted">{t(`quotas.dimension.${quota.dimension}.words`)}</span>
    </span>
  );
}

export function limitOf({ dimension, limit, window }: Pick<Quota, "dimension" | "limit" | "window">): string {
  if (limit === null) return t("quotas.unlimited");
  if (isStorage(dimension)) return t("quotas.limit.storage", { limit: amount(dimension, limit) });
  return window ? t(`quotas.limit.${window}`, { limit }) : t("quotas.limit.at_once", { limit });
}

function Used({ quota }: { quota: Quota }) {
  const { dimension, used, limit } = quota;
  if (limit === null) return amount(dimension, used);
  const words = t("quotas.used", { used: amount(dimension, used), limit: amount(dimension, limit) });
  return (
    <span className={styles.used}>
      {words}
      <Meter label={words} used={used} most={limit} />
    </span>
  );
}
