/** What is open when it is first drawn doesn't know where the focus was: it opens one moment later. */

import { useEffect, useState } from "react";

export function useShown(opened: boolean): boolean {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  return opened && isThere;
}
