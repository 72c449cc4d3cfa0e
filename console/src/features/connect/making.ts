/** Open state of the “New S3 key” dialog. */

import { createOpening } from "@/ui/opening";

export const making = createOpening();
