/** Open state of the dialog for a new trigger. */

import { createOpening } from "@/ui/opening";

export const addingTrigger = createOpening();
