/** Job status: icon, label and colour. */

import { IconAlertTriangle, IconBan, IconCheck, IconClock, IconPlayerPlay, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import type { State } from "./queries";

const LOOKS: Record<State, [Icon, Tone]> = {
  queued: [IconClock, "plain"],
  running: [IconPlayerPlay, "accent"],
  succeeded: [IconCheck, "success"],
  failed: [IconAlertTriangle, "danger"],
  cancelled: [IconBan, "plain"],
};

export function StateTag({ state }: { state: State }) {
  const [Picture, tone] = LOOKS[state];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={13} />
      {t(`jobs.state.${state}`)}
    </Tag>
  );
}
