/** The text of a table: where its cells are, and the smallest changes that edit it. */

export interface Cell {
  /** The words between the bars, without the blanks around them. */
  from: number;
  to: number;
  /** With the blanks. */
  start: number;
  end: number;
}

export interface Row {
  from: number;
  to: number;
  cells: Cell[];
}

export type Alignment = "none" | "left" | "center" | "right";

export interface Table {
  header: Row;
  delimiter: Row;
  rows: Row[];
  alignments: Alignment[];
}

export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** Places are counted from the beginning of the table. A row that is no table's has no cells. */
export function tableOf(text: string): Table {
  const rows: Row[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    rows.push(rowOf(line, at));
    at += line.length + 1;
  }
  const [header, delimiter, ...others] = rows as [Row, Row, ...Row[]];
  const alignments = delimiter.cells.map(({ from, to }) => alignmentOf(text.slice(from, to)));
  return { header, delimiter, rows: others, alignments };
}

function rowOf(line: string, offset: number): Row {
  const bars: number[] = [];
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === "|") bars.push(at);
  }
  const edges = [-1, ...bars, line.length];
  let cells = edges.slice(1).map((end, place) => cellOf(line, (edges[place] ?? 0) + 1, end));
  if (bars.length > 0 && isBlank(cells[0])) cells = cells.slice(1);
  if (bars.length > 0 && isBlank(cells.at(-1)) && (cells.at(-1)?.end ?? 0) === line.length) cells = cells.slice(0, -1);
  const moved = cells.map((cell) => ({ from: cell.from + offset, to: cell.to + offset, start: cell.start + offset, end: cell.end + offset }));
  return { from: offset, to: offset + line.length, cells: moved };
}

const isBlank = (cell?: Cell): boolean => cell !== undefined && cell.from === cell.to;

function cellOf(line: string, start: number, end: number): Cell {
  const text = line.slice(start, end);
  const lead = text.length - text.trimStart().length;
  if (lead === text.length) return { start, end, from: start + Math.min(1, lead), to: start + Math.min(1, lead) };
  // An escaped blank at the end belongs to the words.
  const words = text.slice(lead).trimEnd();
  const kept = /(?:^|[^\\])(?:\\\\)*\\$/.test(words) && lead + words.length < text.length ? words.length + 1 : words.length;
  return { start, end, from: start + lead, to: start + lead + kept };
}

function alignmentOf(text: string): Alignment {
  const [left, right] = [text.startsWith(":"), text.endsWith(":")];
  if (left) return right ? "center" : "left";
  return right ? "right" : "none";
}

/** As people write it: a bar is a bar. */
export const unescaped = (source: string): string => source.replace(/\\(\\|\|)/g, (whole, sign: string) => (sign === "|" ? "|" : whole));

/** As it is in a table: on one line, and a bar is no border. */
export function escaped(words: string): string {
  const line = words.replace(/\s*\n\s*/g, " ").trim();
  return line.replace(/\\[^]?|\|/g, (sign) => (sign === "|" ? "\\|" : sign === "\\" ? "\\\\" : sign));
}

/** Row −1 is the header. */
export const rowAt = (table: Table, row: number): Row | undefined => (row < 0 ? table.header : table.rows[row]);

export const wordsAt = (text: string, table: Table, row: number, column: number): string => {
  const cell = rowAt(table, row)?.cells[column];
  return cell ? text.slice(cell.from, cell.to) : "";
};

const width = (table: Table): number => table.header.cells.length;

/** Replaces only the words of one cell; cells that a short row lacks are added. */
export function setCell(text: string, table: Table, row: number, column: number, words: string): Change[] {
  const line = rowAt(table, row);
  if (!line) return [];
  const source = escaped(words);
  const cell = line.cells[column];
  if (!cell) return source === "" ? [] : [lengthened(text, line, column, source)];
  return text.slice(cell.from, cell.to) === source ? [] : [filled(text, line, cell, source)];
}

/** Words stay apart from the bars around them; an empty cell at an open end of its row needs a bar to be one. */
function filled(text: string, row: Row, { from, to, start, end }: Cell, source: string): Change {
  if (source === "") return { from, to, insert: `${start === row.from ? "| " : ""}${end === row.to ? " |" : ""}` };
  const lead = from === start && text[start - 1] === "|" ? " " : "";
  const tail = to === end && text[end] === "|" ? " " : "";
  return { from, to, insert: lead + source + tail };
}

function lengthened(text: string, line: Row, column: number, source: string): Change {
  const isClosed = closes(text.slice(line.from, line.to));
  const missing = column - line.cells.length;
  const cells = [...Array.from({ length: missing }, () => " "), ` ${source} `];
  return { from: line.to, to: line.to, insert: `${isClosed ? "" : " |"}${cells.map((cell) => `${cell}|`).join("")}` };
}

/** Whether a row ends with a bar. */
function closes(line: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\|\s*$/.test(line);
}

const emptyRow = (columns: number): string => `|${"  |".repeat(columns)}`;

/** A new row before the given one; after the last one if there's none. */
export function addRow(text: string, table: Table, before: number): Change[] {
  const next = table.rows[before];
  const at = next ? next.from : text.length;
  return [{ from: at, to: at, insert: next ? `${emptyRow(width(table))}\n` : `\n${emptyRow(width(table))}` }];
}

export function deleteRow(table: Table, row: number): Change[] {
  const line = table.rows[row];
  return line ? [{ from: line.from - 1, to: line.to, insert: "" }] : [];
}

/** Swaps two rows, each as it's written. */
export function moveRow(text: string, table: Table, row: number, step: -1 | 1): Change[] {
  const [one, other] = [table.rows[Math.min(row, row + step)], table.rows[Math.max(row, row + step)]];
  if (!one || !other) return [];
  const [first, second] = [text.slice(one.from, one.to), text.slice(other.from, other.to)];
  return [{ from: one.from, to: one.to, insert: second }, { from: other.from, to: other.to, insert: first }];
}

const everyRow = (table: Table): Row[] => [table.header, table.delimiter, ...table.rows];

/** A new column before the given one; after the last one if there's none. */
export function addColumn(text: string, table: Table, before: number): Change[] {
  return everyRow(table).flatMap((row) => {
    const words = row === table.delimiter ? " --- " : "  ";
    const next = row.cells[before];
    if (next) return [{ from: next.start, to: next.start, insert: `${next.start === row.from ? "|" : ""}${words}|` }];
    if (before > row.cells.length) return [];
    return [{ from: row.to, to: row.to, insert: closes(text.slice(row.from, row.to)) ? `${words}|` : ` |${words}|` }];
  });
}

export function deleteColumn(text: string, table: Table, column: number): Change[] {
  if (width(table) < 2) return [];
  return everyRow(table).flatMap((row) => {
    const cell = row.cells[column];
    if (!cell) return [];
    const rest = row.cells.filter((_, place) => place !== column).map(({ from, to }) => text.slice(from, to));
    // With one column left, only a bar at both ends makes it a table.
    if (width(table) === 2 || rest.length === 0) return [{ from: row.from, to: row.to, insert: rowWith(rest) }];
    const isOpen = cell.start === row.from || cell.end === row.to;
    return [{ from: cell.start, to: isOpen ? cell.end : cell.end + 1, insert: "" }];
  });
}

const rowWith = (words: readonly string[]): string => `|${(words.length > 0 ? words : [""]).map((word) => ` ${word} |`).join("")}`;

/** Swaps two columns; a row that lacks one of them is written anew. */
export function moveColumn(text: string, table: Table, column: number, step: -1 | 1): Change[] {
  const [left, right] = [Math.min(column, column + step), Math.max(column, column + step)];
  if (left < 0 || right >= width(table)) return [];
  return everyRow(table).flatMap((row) => {
    const [one, other] = [row.cells[left], row.cells[right]];
    if (!one) return [];
    const [first, second] = [text.slice(one.from, one.to), other ? text.slice(other.from, other.to) : ""];
    if (first === second) return [];
    if (other) return [filled(text, row, one, second), filled(text, row, other, first)];
    const words = row.cells.map(({ from, to }) => text.slice(from, to));
    return [{ from: row.from, to: row.to, insert: rowWith([...words.slice(0, left), "", first]) }];
  });
}

const SIGNS: Record<Alignment, (dashes: string) => string> = {
  none: (dashes) => dashes,
  left: (dashes) => `:${dashes}`,
  center: (dashes) => `:${dashes}:`,
  right: (dashes) => `${dashes}:`,
};

export function align(text: string, table: Table, column: number, alignment: Alignment): Change[] {
  const cell = table.delimiter.cells[column];
  if (!cell || table.alignments[column] === alignment) return [];
  const dashes = text.slice(cell.from, cell.to).replaceAll(":", "");
  return [{ from: cell.from, to: cell.to, insert: SIGNS[alignment](dashes) }];
}

/** A new table of three columns, of which the first line is the header. */
export function newTable(columns = 3, rows = 2): string {
  return [emptyRow(columns), `|${" --- |".repeat(columns)}`, ...Array.from({ length: rows }, () => emptyRow(columns))].join("\n");
}
