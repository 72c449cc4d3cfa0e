/** A translation that is being made: it can be stopped, and a refusal leaves everything as it was. */

import { useState } from "react";

import { useAfterTranslation } from "./queries";

export interface Running {
  busy: boolean;
  fault: unknown;
  run: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  stop: () => void;
}

export function useRunning(): Running {
  const after = useAfterTranslation();
  const [current, setCurrent] = useState<AbortController | null>(null);
  const [fault, setFault] = useState<unknown>(null);

  async function run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const control = new AbortController();
    setCurrent(control);
    setFault(null);
    try {
      await work(control.signal);
    } catch (refusal) {
      if (!control.signal.aborted) setFault(refusal);
    }
    setCurrent((now) => (now === control ? null : now));
    after();
  }

  function stop(): void {
    current?.abort();
    setCurrent(null);
  }

  return { busy: current !== null, fault, run, stop };
}
