/** Relative time, `5 minutes ago`, with the exact time as a tooltip. */

import { ago, dateTime } from "@/i18n";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {ago(at)}
    </time>
  );
}
