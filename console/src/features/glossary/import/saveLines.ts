/** Saves the lines of a file, a few at a time. */

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { several } from "@/ui/several";

import type { LineFault } from "../exchange";
import { saveTerm, type TermText } from "../queries";

interface Line {
  line: number;
  after: TermText;
}

/** The lines that couldn't be saved. */
export async function saveLines(lines: readonly Line[], onProgress: (share: number) => void): Promise<LineFault[]> {
  const failed = await several(lines, ({ after }) => saveTerm(after), (done) => onProgress(done / lines.length));
  return failed
    .map(({ thing, fault }) => ({ line: thing.line, message: fault instanceof Refusal ? fault.message : t("state.failed") }))
    .sort((one, other) => one.line - other.line);
}
