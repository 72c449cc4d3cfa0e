/** Colours code by its syntax, once the grammars are loaded. */

import { useEffect, useState } from "react";

type Highlight = typeof import("@/ui/markdown/highlight").default;

export function useHighlight(wanted: boolean): Highlight | undefined {
  const [found, setFound] = useState<{ highlight: Highlight }>();
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void import("@/ui/markdown/highlight").then(
      (module) => current && setFound({ highlight: module.default }),
      () => undefined,
    );
    return () => void (current = false);
  }, [wanted]);
  return found?.highlight;
}
