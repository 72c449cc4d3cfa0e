/** Which dialogs of the company are open; the palette opens them from anywhere. */

import { createOpening } from "@/ui/opening";

export const newTeam = createOpening();
export const addingSomebody = createOpening();
