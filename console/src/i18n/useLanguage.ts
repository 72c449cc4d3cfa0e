/** Loads the user's language; nothing is shown in another one meanwhile. */

import { useEffect, useState } from "react";

import { loadCatalog, speaks } from ".";

/** Whether the catalog is loaded. Null stands for the browser's language; undefined if the user isn't known yet. */
export function useLanguage(wanted: string | null | undefined): boolean {
  const [settled, setSettled] = useState<string | null>();
  useEffect(() => {
    if (wanted === undefined) return;
    // Without the catalog, the console stays usable with the one that is loaded.
    const settle = (): void => setSettled(wanted);
    loadCatalog(wanted ?? undefined).then(settle, settle);
  }, [wanted]);
  return wanted === undefined || wanted === settled || speaks(wanted ?? undefined);
}
