/** Repeats a request until the server can be reached again. */

import { Refusal } from "@/api/client";
import { checkServer, serverBack } from "@/net/reachability";

/** Between tries while the server answers, but this request doesn't get through. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Only for requests that can be sent twice. `onLost` is told when it begins to wait, and when it goes on. */
export async function persistently<T>(send: () => Promise<T>, signal: AbortSignal, onLost: (lost: boolean) => void): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await send();
    } catch (fault) {
      if (signal.aborted) throw signal.reason as Error;
      const pause = PAUSES_MS[tries];
      if (!(fault instanceof Refusal && fault.unreachable) || pause === undefined) throw fault;
      onLost(true);
      if (await checkServer()) {
        await orAborted(serverBack(), signal);
        tries = -1;
      } else {
        await orAborted(new Promise((resume) => setTimeout(resume, pause)), signal);
      }
      onLost(false);
    }
  }
}

function orAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    void waiting.then(resolve, reject);
  });
}
