/** Whether an executor is being set up; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const setting = createOpening();
