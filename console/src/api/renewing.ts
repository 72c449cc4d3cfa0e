/** Requests with the session's token: one that has expired is replaced, if the browser keeps the person signed in. */

import { staying } from "./staying";
import { token } from "./token";

const ENDED: readonly (string | undefined)[] = ["unauthenticated", "token_expired"];

/** The token that a response was asked for with. */
const bearers = new WeakMap<Response, string | null>();

/** Ends the session that a request was sent in. A request can outlive it: who has signed in since stays so. */
export function endSessionOf(response: Response): void {
  const used = bearers.get(response);
  if (used && used === token.get()) token.drop();
}

/** Notes with which token a response was asked for. */
export function sentWith(bearer: string | null, response: Response): Response {
  bearers.set(response, bearer);
  return response;
}

/** Sends as the signed-in person; once more with a new token if the session has ended. Nothing was done the first time. */
export async function asPerson(send: (bearer: string | null) => Promise<Response>): Promise<Response> {
  const used = token.get();
  const response = sentWith(used, await send(used));
  if (used === null || !(await hasEnded(response)) || !(await staying.renew(used))) return response;
  const current = token.get();
  return sentWith(current, await send(current));
}

/** Whether the server refused the token, not what was asked with it. */
async function hasEnded(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const problem = (await response.clone().json().catch(() => ({}))) as { code?: string }; // prettier-ignore
  return ENDED.includes(problem.code);
}
