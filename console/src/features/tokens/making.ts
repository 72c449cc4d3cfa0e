/** Open state of the “New token” dialog. */

import { createOpening } from "@/ui/opening";

export const making = createOpening();
