/** Quota errors in words: what's used up, whose limit applies, and when it resets. */

import type { Refusal } from "@/api/client";
import { ago, dateTime, number, t } from "@/i18n";

import { capacity } from "./quantities";

const DIMENSIONS = ["ai.requests", "ai.tokens.total", "ai.concurrency", "storage.bytes", "storage.objects"] as const;

/** Storage is freed by deleting, not by time. */
export const isStorage = (dimension?: string | null): boolean => Boolean(dimension?.startsWith("storage."));

/** Formats a value in the unit of its dimension. */
export const amount = (dimension: string, value: number): string => (dimension === "storage.bytes" ? capacity(value) : number(value));

export interface FullQuota {
  dimension?: string | null;
  level?: string | null;
  resets_at?: string | null;
}

/** Undefined if the error isn't about a quota. */
export function fullQuotaOf(fault: Refusal | undefined): FullQuota | undefined {
  return fault?.code === "quota_exceeded" ? fault.problem : undefined;
}

export function usedUpWords({ dimension, level }: FullQuota): string {
  const known = DIMENSIONS.find((name) => name === dimension);
  return known ? t(`quotas.full.${known}`, { level }) : t("quotas.full");
}

export function moreWords({ dimension, resets_at: at }: FullQuota): string {
  if (dimension === "ai.concurrency") return t("quotas.more.soon");
  if (isStorage(dimension)) return t("quotas.more.deleted");
  return at ? t("quotas.more.at", { when: ago(at), at: dateTime(at) }) : t("quotas.more.never");
}

export const fullQuotaWords = (quota: FullQuota): string => `${usedUpWords(quota)} ${moreWords(quota)}`;
