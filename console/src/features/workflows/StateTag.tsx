/** Status of a run, a step or an item: icon, label and colour. */

import { IconAlertTriangle, IconBan, IconCheck, IconCircleDashed, IconClock, IconPlayerPlay, IconPlayerSkipForward, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import type { StepState } from "./api";

type State = StepState | "queued";

const LOOKS: Record<State, [Icon, Tone]> = {
  pending: [IconCircleDashed, "plain"],
  queued: [IconClock, "plain"],
  running: [IconPlayerPlay, "accent"],
  succeeded: [IconCheck, "success"],
  failed: [IconAlertTriangle, "danger"],
  skipped: [IconPlayerSkipForward, "plain"],
  cancelled: [IconBan, "plain"],
};

const isKnown = (state: string): state is State => state in LOOKS;

/** A run that only has queued steps is waiting. */
export function StateTag({ state, waiting = false }: { state: string; waiting?: boolean }) {
  if (!isKnown(state)) return <Tag>{state}</Tag>;
  const isWaiting = waiting && state === "running";
  const [Picture, tone] = isWaiting ? LOOKS.queued : LOOKS[state];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={13} />
      {isWaiting ? t("workflows.state.waiting") : t(`workflows.state.${state}`)}
    </Tag>
  );
}
