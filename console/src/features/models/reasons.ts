/** Why an executor answers for a role. */

import { reportedText } from "@/i18n";

import type { Report } from "./queries";

/** Sentence by sentence, in the current language. */
export const reasonWords = ({ reasons }: Report): string => reasons.map((reason) => reportedText(reason) ?? reason.message).join(" ");
