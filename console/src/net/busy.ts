/** Retries while the server is too busy to answer, or while requests come faster than it takes them. */

const PAUSES_MS = [300, 600, 1200, 2400, 4800];
/** Whoever would have to wait longer is told. */
const LONGEST_WAIT_MS = 10_000;

/** Such a server has done nothing yet, so any request can be sent again, each time after a longer pause. */
export async function retryWhileBusy(send: () => Promise<Response>, signal?: AbortSignal | null): Promise<Response> {
  for (const pause of PAUSES_MS) {
    const response = await send();
    const least = await leastPause(response);
    if (least === undefined) return response;
    await rest(Math.max(least, pause * (0.75 + Math.random() / 2)), signal);
  }
  return send();
}

/** Undefined if the response isn't one to send the request again after. */
async function leastPause(response: Response): Promise<number | undefined> {
  const after = response.headers.get("retry-after");
  if (after === null) return undefined;
  if (response.status === 503) return 0;
  const isSoon = response.status === 429 && Number(after) * 1000 <= LONGEST_WAIT_MS;
  return isSoon && (await isRate(response)) ? Number(after) * 1000 : undefined;
}

/** Not a quota or a limit of attempts. */
async function isRate(response: Response): Promise<boolean> {
  const problem = (await response.clone().json().catch(() => ({}))) as { code?: string }; // prettier-ignore
  return problem.code === "rate_limited";
}

/** Ends with the signal, too: then sending fails with its reason. */
function rest(pause: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resume) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resume();
    };
    const timer = setTimeout(end, pause);
    signal?.addEventListener("abort", end);
  });
}
