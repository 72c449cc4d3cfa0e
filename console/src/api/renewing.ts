/** Requests with the session's token: one that has expired is replaced, if the browser keeps the person signed in. */

import { staying } from "./staying";
import { token } from "./token";

const ENDED: readonly (string | undefined)[] = ["unauthenticated", "token_expired"];

/** Sends as the signed-in person; once more with a new token if the session has ended. Nothing was done the first time. */
export async function asPerson(send: (bearer: string | null) => Promise<Response>): Promise<Response> {
  const used = token.get();
  const response = await send(used);
  if (used === null || !(await hasEnded(response)) || !(await staying.renew(used))) return response;
  return send(token.get());
}

/** Whether the server refused the token, not what was asked with it. */
async function hasEnded(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const problem = (await response.clone().json().catch(() => ({}))) as { code?: string }; // prettier-ignore
  return ENDED.includes(problem.code);
}
