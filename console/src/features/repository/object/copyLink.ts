/** Copies the address of a file in the console. */

import { t } from "@/i18n";
import { notice } from "@/ui/notice";

export async function copyLink(id: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(`/app/files/${id}`, location.href).href);
  notice(t("files.link.copied"));
}
