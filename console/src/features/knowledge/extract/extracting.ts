/** Whether the dialog to extract entities is open, and what it needs. */

import type { Needs } from "@/navigation/tables";
import { createOpening } from "@/ui/opening";

export const extracting = createOpening();

export const EXTRACTING = { permission: "workflows:run", feature: "workflows" } as const satisfies Needs;
