/** Whether a trigger is on. */

import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

export function EnabledTag({ enabled }: { enabled: boolean }) {
  return <Tag tone={enabled ? "success" : "plain"}>{t(enabled ? "workflows.trigger.on" : "workflows.trigger.off")}</Tag>;
}
