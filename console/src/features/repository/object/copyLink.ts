/** Copies the address of a file in the console. */

import { t } from "@/i18n";
import { copy } from "@/ui/clipboard";

export const copyLink = (id: string): Promise<void> => copy(new URL(`/app/files/${id}`, location.href).href, t("files.link.copied"));
