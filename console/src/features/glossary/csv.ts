/** CSV as spreadsheets write it: quotes, line breaks in cells, and commas, semicolons or tabs between them. */

export interface Row {
  /** Where the row starts, from 1. */
  line: number;
  cells: string[];
}

export class UnclosedQuote extends Error {
  readonly line: number;

  constructor(line: number) {
    super("unclosed quote");
    this.line = line;
  }
}

const SEPARATORS = [",", ";", "\t"];

/** All rows that aren't empty. */
export function parseCsv(text: string): Row[] {
  const content = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(content);
  const rows: Row[] = [];
  let [line, start, cell, quoteAt] = [1, 1, "", 0];
  let cells: string[] = [];

  function endRow(): void {
    cells.push(cell);
    if (cells.some((one) => one.trim() !== "")) rows.push({ line: start, cells });
    cells = [];
    cell = "";
    start = line + 1;
  }

  for (let at = 0; at < content.length; at += 1) {
    const letter = content[at];
    if (quoteAt > 0) {
      if (letter === "\n") line += 1;
      if (letter !== '"') cell += letter;
      else if (content[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoteAt = 0;
    } else if (letter === '"' && cell.trim() === "") {
      quoteAt = line;
      cell = "";
    } else if (letter === separator) {
      cells.push(cell);
      cell = "";
    } else if (letter === "\n") {
      endRow();
      line += 1;
    } else if (letter !== "\r" || content[at + 1] !== "\n") cell += letter;
  }
  if (quoteAt > 0) throw new UnclosedQuote(quoteAt);
  endRow();
  return rows;
}

/** The one that the first line has most of. */
function separatorOf(content: string): string {
  const head = content.slice(0, (content.indexOf("\n") + 1 || content.length + 1) - 1);
  const count = (separator: string): number => head.split(separator).length;
  return SEPARATORS.reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** With a byte order mark: some spreadsheets otherwise don't expect UTF-8. */
export function formatCsv(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((cells) => cells.map(quoted).join(",")).join("\r\n")}\r\n`;
}

const quoted = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
