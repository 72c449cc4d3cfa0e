/** Relative time, `5 minutes ago`, or words that contain one, with the exact time and its zone as a tooltip. */

import type { ReactNode } from "react";

import { ago, exactTime } from "@/i18n";

export function Time({ at, children }: { at: string; children?: ReactNode }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {children ?? ago(at)}
    </time>
  );
}
