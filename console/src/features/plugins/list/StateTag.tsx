/** Whether a plugin could be loaded: icon, label and colour. */

import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";

import type { Plugin } from "@/api/extensions";
import { t } from "@/i18n";
import { Tag } from "@/ui/Tag";

export function StateTag({ plugin: { state } }: { plugin: Plugin }) {
  const Picture = state === "loaded" ? IconCircleCheck : IconCircleX;
  return (
    <Tag tone={state === "loaded" ? "success" : "danger"}>
      <Picture aria-hidden size={13} />
      {t(`plugins.state.${state}`)}
    </Tag>
  );
}
