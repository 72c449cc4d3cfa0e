/** Whether a company is being made; the palette opens it from anywhere. */

import { createOpening } from "@/ui/opening";

export const newCompany = createOpening();
