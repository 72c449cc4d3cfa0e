/** State of a sandboxed plugin's process: icon, label and colour. */

import { IconCircleCheck, IconCircleDashed, IconCircleX, IconClockPause, IconShieldX, type Icon } from "@tabler/icons-react";

import type { SandboxedPlugin } from "@/api/extensions";
import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

const LOOKS: Record<SandboxedPlugin["state"], [Icon, Tone]> = {
  starting: [IconCircleDashed, "accent"],
  running: [IconCircleCheck, "success"],
  waiting: [IconClockPause, "warning"],
  disabled: [IconCircleX, "danger"],
  refused: [IconShieldX, "danger"],
};

export function ProcessTag({ state }: { state: SandboxedPlugin["state"] }) {
  const [Picture, tone] = LOOKS[state];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={13} />
      {t(`sandboxed.state.${state}`)}
    </Tag>
  );
}
