/** The dialog that asks a model: open or not, and who may ask. */

import { useSession } from "@/app/session";
import { allowed, type Needs } from "@/app/tables";
import { createOpening } from "@/ui/opening";

export const making = createOpening();

/** As the server asks for it of a job that is a turn with a model. */
export const ASKING = { permission: "chat:use", feature: "chat" } as const satisfies Needs;

export const useMayAsk = (): boolean => allowed(ASKING, useSession());
