/** Whether there is anything to show of uploads: known to the frame, which fetches the rest only then. */

import { createOpening } from "@/ui/opening";

export const uploading = createOpening();
