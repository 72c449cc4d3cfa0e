/** Open state of the “New company” dialog. */

import { createOpening } from "@/ui/opening";

export const newCompany = createOpening();
