/** A conflict that the server tells about the request as a whole, told at the one field that can be meant. */

import { Refusal } from "@/api/client";

/** With `words` where the field has another name here than at the server. */
export function conflictAt(field: string, words?: string): (fault: unknown) => never {
  return (fault) => {
    if (!(fault instanceof Refusal) || fault.status !== 409) throw fault;
    throw new Refusal(409, { ...fault.problem, field, detail: words ?? fault.message });
  };
}
