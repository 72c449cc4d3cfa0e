/** Whether a job is being asked for; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const making = createOpening();
