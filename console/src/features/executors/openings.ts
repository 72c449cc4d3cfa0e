/** Open state of the “New executor” dialog. */

import { createOpening } from "@/ui/opening";

export const setting = createOpening();
