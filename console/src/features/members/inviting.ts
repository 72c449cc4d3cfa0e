/** Open state of the “Invite person” dialog. */

import { createOpening } from "@/ui/opening";

export const inviting = createOpening();
