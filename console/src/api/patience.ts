/** How the server is asked: again, where it had no time. */

const PAUSES_MS = [300, 600, 1200, 2400, 4800];

/** A server that is too busy has done nothing yet: it is asked again, each time after a longer while. */
export async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (const pause of PAUSES_MS) {
    const response = await ask();
    if (response.status !== 503 || !response.headers.has("retry-after")) return response;
    await new Promise((resume) => setTimeout(resume, pause * (0.75 + Math.random() / 2)));
  }
  return ask();
}
