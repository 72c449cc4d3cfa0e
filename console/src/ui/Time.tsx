/** A moment as people say it, `5 minutes ago`; the exact one stands behind it. */

import { ago, dateTime } from "@/i18n";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {ago(at)}
    </time>
  );
}
