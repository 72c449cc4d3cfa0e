/** Names for what has none yet. */

import { t } from "@/i18n";

export const titleOf = ({ title }: { title: string }): string => title || t("chat.untitled");
