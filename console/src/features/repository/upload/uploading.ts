/** Whether there are uploads to show: the shell loads the tray only then. */

import { createOpening } from "@/ui/opening";

import { records } from "./records";

export const uploading = createOpening();

if (typeof sessionStorage !== "undefined" && records().length > 0) uploading.open();
