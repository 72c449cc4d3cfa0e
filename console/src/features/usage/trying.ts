/** Open state of the “Test the quota” dialog. */

import { createOpening } from "@/ui/opening";

export const trying = createOpening();
