/** Whether somebody is being invited; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const inviting = createOpening();
