/** Whether there are uploads to show: the shell loads the tray only then. */

import { createOpening } from "@/ui/opening";

export const uploading = createOpening();
