/** Glossary files: terms as CSV, checked line by line and compared with the glossary. */

import { t } from "@/i18n";
import { canonical } from "@/ui/languages/names";

import { formatCsv, parseCsv, UnclosedQuote, type Row } from "./csv";
import type { Term, TermText } from "./queries";
import { isSame, keyOf } from "./terms";

const COLUMNS = ["term", "target", "translation", "note", "forbidden"] as const;
type ColumnName = (typeof COLUMNS)[number];
const REQUIRED: readonly ColumnName[] = ["term", "target", "translation"];

/** Between forbidden forms in their cell. */
const BETWEEN = "|";

export interface LineFault {
  line: number;
  message: string;
}

/** A term that the glossary has with another text. */
export interface Conflict {
  line: number;
  before: Term;
  after: TermText;
}

export interface Read {
  added: { line: number; after: TermText }[];
  conflicts: Conflict[];
  /** Terms that the glossary has already. */
  same: number;
  faults: LineFault[];
}

export function toCsv(terms: readonly TermText[]): string {
  const rows = terms.map(({ term, target, translation, note, forbidden }) => [term, target, translation, note, forbidden.join(BETWEEN)]);
  return formatCsv([COLUMNS, ...rows]);
}

export function readCsv(text: string, glossary: readonly Term[]): Read {
  const read: Read = { added: [], conflicts: [], same: 0, faults: [] };
  const rows = rowsOf(text, read.faults);
  const [head, ...body] = rows;
  if (!head) return read;
  const places = new Map(COLUMNS.map((name) => [name, head.cells.findIndex((cell) => cell.trim().toLowerCase() === name)]));
  const missing = REQUIRED.filter((name) => places.get(name) === -1);
  if (missing.length > 0) {
    read.faults.push({ line: head.line, message: t("glossary.import.columns", { names: missing.join(", ") }) });
    return read;
  }
  const cellOf = (row: Row, name: ColumnName): string => row.cells[places.get(name) ?? -1]?.trim() ?? "";
  const existing = new Map(glossary.map((term) => [keyOf(term), term]));
  const seen = new Map<string, number>();
  for (const row of body) {
    const after = termOf((name) => cellOf(row, name));
    const message = faultOf(after, cellOf(row, "target")) ?? repeated(after, row.line, seen);
    const before = existing.get(keyOf(after));
    if (message) read.faults.push({ line: row.line, message });
    else if (!before) read.added.push({ line: row.line, after });
    else if (isSame(before, after)) read.same += 1;
    else read.conflicts.push({ line: row.line, before, after: { ...after, term: before.term } });
  }
  return read;
}

function rowsOf(text: string, faults: LineFault[]): Row[] {
  try {
    const rows = parseCsv(text);
    if (rows.length === 0) faults.push({ line: 1, message: t("glossary.import.empty") });
    return rows;
  } catch (fault) {
    if (!(fault instanceof UnclosedQuote)) throw fault;
    faults.push({ line: fault.line, message: t("glossary.import.quote") });
    return [];
  }
}

function termOf(cell: (name: ColumnName) => string): TermText {
  const forms = cell("forbidden").split(BETWEEN).map((form) => form.trim());
  return {
    term: cell("term"),
    target: canonical(cell("target")) ?? "",
    translation: cell("translation"),
    note: cell("note"),
    forbidden: [...new Set(forms.filter(Boolean))],
  };
}

function faultOf({ term, target, translation, forbidden }: TermText, tag: string): string | undefined {
  if (!term) return t("glossary.import.no.term");
  if (!tag) return t("glossary.import.no.target");
  if (!target) return t("glossary.import.no.language", { tag });
  if (!translation) return t("glossary.import.no.translation");
  if (forbidden.includes(translation)) return t("glossary.import.forbidden", { translation });
  return undefined;
}

function repeated(term: TermText, line: number, seen: Map<string, number>): string | undefined {
  const first = seen.get(keyOf(term));
  if (first !== undefined) return t("glossary.import.twice", { line: first });
  seen.set(keyOf(term), line);
  return undefined;
}
