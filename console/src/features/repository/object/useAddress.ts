/** Address of a version's content that an element can load by itself; it ends after an hour. */

import { useEffect, useRef, useState } from "react";

import { fetchAddress } from "../queries";

export interface Addressed {
  address?: string;
  /** Why there is none. */
  error?: unknown;
  /** Whether it was renewed, and didn't help. */
  isBroken: boolean;
  /** Changes with every renewal, to load the element anew. */
  round: number;
  /** The element couldn't load it: the address may have ended. */
  onError: () => void;
  onLoaded: () => void;
  again: () => void;
}

/** Not a query: an element that plays mustn't get another address because something was refetched. */
export function useAddress(id: string, version: number): Addressed {
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<Pick<Addressed, "address" | "error">>({});
  const [isBroken, setBroken] = useState(false);
  const hasFailed = useRef(false);
  useEffect(() => {
    let current = true;
    fetchAddress(id, version).then(
      ({ address }) => current && setFound({ address }),
      (error: unknown) => current && setFound({ error }),
    );
    return () => void (current = false);
  }, [id, version, round]);
  const renew = (): void => {
    setFound({});
    setRound((last) => last + 1);
  };
  return {
    ...found,
    isBroken,
    round,
    onError: () => {
      if (hasFailed.current) setBroken(true);
      else renew();
      hasFailed.current = true;
    },
    onLoaded: () => void (hasFailed.current = false),
    again: renew,
  };
}
