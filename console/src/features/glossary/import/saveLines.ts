/** Saves the lines of a file, a few at a time. */

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

import type { LineFault } from "../exchange";
import { saveTerm, type TermText } from "../queries";

interface Line {
  line: number;
  after: TermText;
}

const AT_ONCE = 4;

/** The lines that couldn't be saved. */
export async function saveLines(lines: readonly Line[], onProgress: (share: number) => void): Promise<LineFault[]> {
  const faults: LineFault[] = [];
  const waiting = [...lines];
  let done = 0;

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await saveTerm(next.after);
      } catch (fault) {
        faults.push({ line: next.line, message: fault instanceof Refusal ? fault.message : t("state.failed") });
      }
      done += 1;
      onProgress(done / lines.length);
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults.sort((one, other) => one.line - other.line);
}
