/** Why an executor answers for a role. */

import type { Report } from "./queries";

export const reasonWords = ({ reason }: Report): string => reason;
