/** Toasts for success and errors. */

import { notifications } from "@mantine/notifications";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

import { fullQuotaOf, fullQuotaWords } from "./quotaWords";

/** The button that closes a toast has a name. */
export const closing = () => ({ closeButtonProps: { "aria-label": t("action.close") } });

export function notice(message: string): void {
  notifications.show({ color: "success", message, ...closing() });
}

export function noticeFault(fault: unknown): void {
  const refusal = fault instanceof Refusal ? fault : undefined;
  const quota = fullQuotaOf(refusal);
  notifications.show({
    color: "danger",
    title: refusal?.problem.title ?? t("state.failed"),
    message: quota ? fullQuotaWords(quota) : (refusal?.message ?? t("state.failed.unknown")),
    autoClose: 10_000,
    ...closing(),
  });
}

/** An error that comes with its own words. */
export function noticeText(message: string): void {
  notifications.show({ color: "danger", title: t("state.failed"), message, autoClose: 10_000, ...closing() });
}
