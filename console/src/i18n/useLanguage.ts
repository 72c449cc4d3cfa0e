/** The language of who is here: nothing is shown in another one while it is fetched. */

import { useEffect, useState } from "react";

import { loadCatalog, speaks } from ".";

/** Whether it is spoken by now; null is whatever the browser speaks, and undefined that nobody is known yet. */
export function useLanguage(wanted: string | null | undefined): boolean {
  const [settled, setSettled] = useState<string | null>();
  useEffect(() => {
    if (wanted === undefined) return;
    // Words that cannot be fetched are no reason to keep somebody out: those that are there stay.
    const settle = (): void => setSettled(wanted);
    loadCatalog(wanted ?? undefined).then(settle, settle);
  }, [wanted]);
  return wanted === undefined || wanted === settled || speaks(wanted ?? undefined);
}
