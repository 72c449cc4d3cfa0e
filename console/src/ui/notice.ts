/** A word in the corner: that something was done, or why not. */

import { notifications } from "@mantine/notifications";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

export function notice(message: string): void {
  notifications.show({ color: "success", message });
}

export function noticeFault(fault: unknown): void {
  const refusal = fault instanceof Refusal ? fault : undefined;
  notifications.show({
    color: "danger",
    title: refusal?.problem.title ?? t("state.failed"),
    message: refusal?.message ?? t("state.failed.unknown"),
    autoClose: 10_000,
  });
}
