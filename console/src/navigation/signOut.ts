/** Signing out, requested from a menu or the palette and carried out by the shell. */

import { createOpening } from "@/ui/opening";

export const signingOut = createOpening();
