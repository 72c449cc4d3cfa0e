/** Retries while the server is too busy to answer. */

const PAUSES_MS = [300, 600, 1200, 2400, 4800];

/** A busy server has done nothing yet, so any request can be sent again, each time after a longer pause. */
export async function retryWhileBusy(send: () => Promise<Response>): Promise<Response> {
  for (const pause of PAUSES_MS) {
    const response = await send();
    if (response.status !== 503 || !response.headers.has("retry-after")) return response;
    await new Promise((resume) => setTimeout(resume, pause * (0.75 + Math.random() / 2)));
  }
  return send();
}
