/** Titles of conversations. */

import { t } from "@/i18n";

export const titleOf = ({ title }: { title: string }): string => title || t("chat.untitled");
