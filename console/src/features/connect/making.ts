/** Open state of the “New S3 key” and “New token” dialogs. */

import { createOpening } from "@/ui/opening";

export const making = createOpening();
export const makingToken = createOpening();
