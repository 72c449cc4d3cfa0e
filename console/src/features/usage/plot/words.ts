/** Histories in words. */

import { dateFormat, number, t } from "@/i18n";
import { capacity } from "@/ui/quantities";

import type { MetricHistory } from "../queries";
import { isBytes, shapeOf, timeOf, valueOf } from "./geometry";

/** Formats a value in the unit of its metric. */
export const quantity = (metric: MetricHistory["metric"], value: number): string => (isBytes(metric) ? capacity(value) : number(value));

/** What there is now, or the sum of all days. */
export function figureOf(history: MetricHistory): string {
  if (shapeOf(history) === "line") {
    const now = quantity(history.metric, valueOf(history, history.days.length - 1));
    return history.window === "month" || history.window === "week" ? `${now} ${t(`usage.since.${history.window}`)}` : now;
  }
  return t("ui.plot.sum", { sum: quantity(history.metric, history.days.reduce((sum, { amount }) => sum + amount, 0)) });
}

export interface OutlookWords {
  words: string;
  tone: "plain" | "warning" | "danger";
}

/** What follows if usage goes on like this; without a limit, the average of a day. */
export function outlookOf(history: MetricHistory): OutlookWords {
  const { forecast, days, metric } = history;
  if (forecast?.outlook === "on_day" && forecast.reached_on) {
    const day = dateFormat({ day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).format(timeOf(forecast.reached_on));
    return { tone: "warning", words: t("usage.outlook.on_day", { day }) };
  }
  if (forecast && forecast.outlook !== "on_day") {
    return { tone: forecast.outlook === "reached" ? "danger" : "plain", words: t(`usage.outlook.${forecast.outlook}`) };
  }
  const sum = days.reduce((all, { amount }) => all + amount, 0);
  if (sum <= 0) return { tone: "plain", words: t("usage.outlook.nothing") };
  return { tone: "plain", words: t("usage.outlook.average", { amount: quantity(metric, Math.round(sum / days.length)) }) };
}
