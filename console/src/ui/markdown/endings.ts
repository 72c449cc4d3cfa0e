/** Line endings: an editor knows only LF, and a stored text keeps the CRLF and CR that it has. */

import { spliced, type Splice } from "./splice";

const CRLF = "\r\n";

/** The text as an editor has it. */
export const withoutEndings = (stored: string): string => stored.replace(/\r\n?/g, "\n");

/** The line ending that the text has most often; LF if it has none. */
export function endingOf(text: string): string {
  const counts = new Map([["\n", 0], [CRLF, 0], ["\r", 0]]);
  if (text.includes("\r")) for (const [ending] of text.matchAll(/\r\n?|\n/g)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** The stored text after changes of the editor's text, in order: what they don't touch stays, and new lines end as the others do. */
export function edited(stored: string, splices: readonly Splice[]): string {
  const ending = splices.some(({ insert }) => insert.includes("\n")) ? endingOf(stored) : "\n";
  const placeOf = placesIn(stored);
  const parts: string[] = [];
  const add = (part: string): void => {
    // Two line ends that meet would become one.
    if (part.startsWith("\n") && parts.at(-1)?.endsWith("\r")) parts.push("\n");
    if (part !== "") parts.push(part);
  };
  let done = 0;
  for (const { from, to, insert } of splices) {
    add(stored.slice(done, placeOf(from)));
    add(insert.replaceAll("\n", ending));
    done = placeOf(to);
  }
  add(stored.slice(done));
  return parts.join("");
}

/** The stored text changed to what was made of it in an editor. */
export function rewritten(stored: string, wanted: string): string {
  const change = spliced(withoutEndings(stored), wanted);
  return change ? edited(stored, [change]) : stored;
}

/** Turns places in the editor's text, in ascending order, into places in the stored one. */
function placesIn(stored: string): (shown: number) => number {
  const next = (from: number): number => {
    const found = stored.indexOf(CRLF, from);
    return found < 0 ? Infinity : found;
  };
  let ahead = next(0);
  let passed = 0;
  return (shown) => {
    while (ahead < shown + passed) {
      passed += 1;
      ahead = next(ahead + CRLF.length);
    }
    return shown + passed;
  };
}
