/** State of a translation, in words. */

import { IconAlertTriangle, IconCheck, IconCircleDashed, IconClock, IconCornerDownLeft, IconRobot, type Icon } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Tag, type Tone } from "@/ui/Tag";

import type { Review, Status } from "./api";

const STATUSES: Record<Status, { tone: Tone; icon: Icon }> = {
  approved: { tone: "success", icon: IconCheck },
  machine: { tone: "accent", icon: IconRobot },
  stale: { tone: "warning", icon: IconAlertTriangle },
  missing: { tone: "plain", icon: IconCircleDashed },
};

export function StatusTag({ status }: { status: Status }) {
  const { tone, icon: Picture } = STATUSES[status];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={12} />
      {t(`localization.status.${status}`)}
    </Tag>
  );
}

const REVIEWS: Record<Review, { tone: Tone; icon: Icon }> = {
  submitted: { tone: "plain", icon: IconClock },
  returned: { tone: "danger", icon: IconCornerDownLeft },
};

export function ReviewTag({ review }: { review: Review }) {
  const { tone, icon: Picture } = REVIEWS[review];
  return (
    <Tag tone={tone}>
      <Picture aria-hidden size={12} />
      {t(`localization.review.${review}`)}
    </Tag>
  );
}
