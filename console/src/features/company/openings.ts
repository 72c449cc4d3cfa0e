/** Open state of the company's dialogs. */

import { createOpening } from "@/ui/opening";

export const newTeam = createOpening();
export const addingSomebody = createOpening();
