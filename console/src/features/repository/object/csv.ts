/** Reads the beginning of a table in text form (RFC 4180), with any of the usual separators. */

const SEPARATORS = [",", ";", "\t", "|"] as const;

/** The separator that the first line has most of, outside quotes. */
export function separatorOf(text: string): string {
  const line = text.slice(0, 10_000).replace(/"[^"]*"/g, "").split(/\r?\n/, 1)[0] ?? "";
  const count = (separator: string): number => line.split(separator).length;
  return SEPARATORS.reduce<string>((best, each) => (count(each) > count(best) ? each : best), ",");
}

/** At most `most` rows; `whole` says whether the text ends where the file does, so that its last row is complete. */
export function rowsOf(text: string, most: number, whole: boolean): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  let place = start;
  const take = (end: number): void => void row.push(unquoted(text.slice(start, end)));
  const finish = (): void => {
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  while (place < text.length && rows.length < most) {
    const letter = text[place];
    if (letter === '"' && place === start) {
      place = quoteEnd(text, place);
    } else if (letter === separator) {
      take(place);
      start = ++place;
    } else if (letter === "\n" || letter === "\r") {
      take(place);
      finish();
      place += letter === "\r" && text[place + 1] === "\n" ? 2 : 1;
      start = place;
    } else {
      place++;
    }
  }
  if (whole && rows.length < most && (start < text.length || row.length > 0)) {
    take(text.length);
    finish();
  }
  return rows;
}

/** Place after a quoted field; the end of the text if its quote is never closed. */
function quoteEnd(text: string, start: number): number {
  for (let place = start + 1; ; place += 2) {
    place = text.indexOf('"', place);
    if (place < 0) return text.length;
    if (text[place + 1] !== '"') return place + 1;
  }
}

const unquoted = (field: string): string => (field.startsWith('"') ? field.slice(1).replace(/"$/, "").replaceAll('""', '"') : field);
