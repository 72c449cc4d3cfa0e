/** Whether a key is being made; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const making = createOpening();
