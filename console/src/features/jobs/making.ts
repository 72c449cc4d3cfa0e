/** The “Ask a model” dialog: open state, and who can use it. */

import { allowed, type Needs } from "@/navigation/tables";
import { useSession } from "@/session";
import { createOpening } from "@/ui/opening";

export const making = createOpening();

/** As the server checks it for a chat job. */
export const ASKING = { permission: "chat:use", feature: "chat" } as const satisfies Needs;

/** As the server checks it for an agent's run. */
export const RUNNING = { permission: "chat:use", feature: "agent" } as const satisfies Needs;

export const useMayAsk = (): boolean => allowed(ASKING, useSession());
