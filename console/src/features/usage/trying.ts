/** Whether somebody tries the quota; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const trying = createOpening();
