/** State, trust and verdict of a prospect, in words. */

import { IconAlertTriangle, IconBan, IconCheck, IconClock, IconRobot, IconShieldCheck, IconX, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import type { Level, State, Verdict } from "../api";

interface Look {
  tone: Tone;
  icon: Icon;
}

const STATES: Record<State, Look> = {
  captured: { tone: "plain", icon: IconClock },
  accepted: { tone: "success", icon: IconCheck },
  declined: { tone: "plain", icon: IconX },
};

export function StateTag({ state }: { state: State }) {
  const { tone, icon: Picture } = STATES[state];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={12} />
      {t(`prospects.state.${state}`)}
    </Tag>
  );
}

const LEVELS: Record<Level, Look> = {
  ok: { tone: "plain", icon: IconShieldCheck },
  suspicious: { tone: "warning", icon: IconAlertTriangle },
  blocked: { tone: "danger", icon: IconBan },
};

export function LevelTag({ level }: { level: Level }) {
  const { tone, icon: Picture } = LEVELS[level];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={12} />
      {t(`prospects.level.${level}`)}
    </Tag>
  );
}

const VERDICTS: Record<Verdict["decision"], Tone> = { accept: "success", review: "plain", decline: "danger" };

export function VerdictTag({ decision }: { decision: Verdict["decision"] }) {
  return (
    <Tag tone={VERDICTS[decision]}>
      <IconRobot aria-hidden size={12} />
      {t(`prospects.advice.${decision}`)}
    </Tag>
  );
}
