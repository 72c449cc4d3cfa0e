/** Health of an executor: icon, label and colour. */

import { IconCircleCheck, IconCircleDashed, IconCircleX, IconClockPause, type Icon } from "@tabler/icons-react";

import type { Executor } from "@/api/executors";
import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

const LOOKS: Record<Executor["health"], [Icon, Tone]> = {
  new: [IconCircleDashed, "accent"],
  up: [IconCircleCheck, "success"],
  stale: [IconClockPause, "warning"],
  down: [IconCircleX, "danger"],
};

export function HealthTag({ health }: { health: Executor["health"] }) {
  const [Picture, tone] = LOOKS[health];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={13} />
      {t(`executors.health.${health}`)}
    </Tag>
  );
}
