/** A table as a table: cells are edited in place, and each edit changes only its own part of the text. */

import { redo, undo } from "@codemirror/commands";
import { EditorView, WidgetType } from "@codemirror/view";

import { t } from "@/i18n";

import { formatted } from "../inline";
import { attachAll, attaching, filesOf, pastedFiles } from "../uploads";
import { openMenu } from "./menu";
import { placed } from "./placed";
import { columnItems, rowItems, tableItems, type Act } from "./operations";
import { addColumn, addRow, rowAt, setCell, tableOf, unescaped, wordsAt, type Change, type Table } from "./table";
import styles from "./Tables.module.css";

interface Spot {
  row: number;
  column: number;
}

const CELL = "[data-cell]";

export class TableWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: TableWidget): boolean {
    return other.text === this.text;
  }

  override get estimatedHeight(): number {
    return (this.text.split("\n").length - 1) * 36;
  }

  override toDOM(view: EditorView): HTMLElement {
    const holder = document.createElement("div");
    holder.className = styles.holder ?? "";
    holder.dataset.table = "";
    draw(holder, this.text);
    new Hands(view, holder);
    return holder;
  }

  override updateDOM(dom: HTMLElement): boolean {
    draw(dom, this.text);
    return true;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Draws a table, or what is new of it: a cell that has the focus keeps its words and its caret. */
function draw(holder: HTMLElement, text: string): void {
  const table = tableOf(text);
  const columns = table.header.cells.length;
  const shape = `${table.rows.length}×${columns}`;
  if (holder.dataset.shape !== shape) {
    holder.replaceChildren(frame(table.rows.length, columns));
    holder.dataset.shape = shape;
  }
  holder.dataset.text = text;
  for (const cell of holder.querySelectorAll<HTMLElement>(CELL)) {
    const { row, column } = spotOf(cell);
    const source = wordsAt(text, table, row, column);
    const alignment = table.alignments[column] ?? "none";
    cell.dataset.alignment = alignment;
    if (cell.dataset.source === source) continue;
    cell.dataset.source = source;
    if (document.activeElement === cell) {
      if (!sameWords(cell, source)) cell.textContent = unescaped(source);
    } else cell.replaceChildren(...formatted(unescaped(source)));
  }
}

const sameWords = (cell: HTMLElement, source: string): boolean => wordsOf(cell).trim() === unescaped(source);
const wordsOf = (cell: HTMLElement): string => (cell.textContent ?? "").replace(/[\n\u00a0]+/g, " ");
const spotOf = (cell: HTMLElement): Spot => ({ row: Number(cell.dataset.row), column: Number(cell.dataset.column) });

function frame(rows: number, columns: number): HTMLElement {
  const table = document.createElement("table");
  table.className = styles.table ?? "";
  table.setAttribute("aria-label", t("markdown.table"));
  const head = table.createTHead().insertRow();
  for (let column = 0; column < columns; column++) head.append(cellOf("th", -1, column));
  const body = table.createTBody();
  for (let row = 0; row < rows; row++) {
    const line = body.insertRow();
    for (let column = 0; column < columns; column++) line.append(cellOf("td", row, column));
  }
  const below = handle("add-row", t("markdown.table.row.add"), "+");
  const beside = handle("add-column", t("markdown.table.column.add"), "+");
  const box = document.createElement("div");
  box.className = styles.box ?? "";
  box.append(table, beside, below);
  return box;
}

function cellOf(tag: "th" | "td", row: number, column: number): HTMLElement {
  const holder = document.createElement(tag);
  const cell = document.createElement("div");
  cell.className = styles.cell ?? "";
  cell.dataset.cell = "";
  cell.dataset.row = String(row);
  cell.dataset.column = String(column);
  cell.setAttribute("role", "textbox");
  cell.setAttribute("aria-multiline", "false");
  const place = row < 0 ? t("markdown.table.cell.head", { column: column + 1 }) : t("markdown.table.cell", { row: row + 1, column: column + 1 });
  cell.setAttribute("aria-label", place);
  cell.setAttribute("aria-keyshortcuts", "Shift+F10");
  cell.tabIndex = column === 0 && row < 0 ? 0 : -1;
  cell.spellcheck = true;
  editable(cell);
  holder.append(cell);
  if (row < 0) holder.append(handle("column", t("markdown.table.column", { column: column + 1 }), "⋯", column));
  if (column === 0 && row >= 0) holder.append(handle("row", t("markdown.table.row", { row: row + 1 }), "⋮", row));
  return holder;
}

function editable(cell: HTMLElement): void {
  try {
    cell.contentEditable = "plaintext-only";
  } catch {
    cell.contentEditable = "true";
  }
}

function handle(kind: string, label: string, sign: string, place = 0): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = styles[kind] ?? "";
  button.dataset.handle = kind;
  button.dataset.place = String(place);
  button.tabIndex = -1;
  button.setAttribute("aria-label", label);
  if (!kind.startsWith("add")) button.setAttribute("aria-haspopup", "menu");
  button.textContent = sign;
  return button;
}

/** What a person does in a table. */
class Hands {
  constructor(readonly view: EditorView, readonly holder: HTMLElement) {
    holder.addEventListener("focusin", (event) => this.#enter(event.target as HTMLElement));
    holder.addEventListener("focusout", (event) => this.#leave(event.target as HTMLElement));
    holder.addEventListener("input", (event) => this.#write(event.target as HTMLElement));
    holder.addEventListener("keydown", (event) => this.#key(event));
    holder.addEventListener("click", (event) => this.#click(event));
    holder.addEventListener("contextmenu", (event) => this.#menu(event));
    holder.addEventListener("paste", (event) => this.#receive(event, pastedFiles(event.clipboardData)));
    holder.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    holder.addEventListener("drop", (event) => this.#receive(event, filesOf(event.dataTransfer)));
  }

  get #text(): string {
    return this.holder.dataset.text ?? "";
  }

  get #table(): Table {
    return tableOf(this.#text);
  }

  get #from(): number {
    return this.view.posAtDOM(this.holder);
  }

  #cell({ row, column }: Spot): HTMLElement | null {
    return this.holder.querySelector(`[data-row="${row}"][data-column="${column}"]`);
  }

  /** A cell with the focus shows its Markdown. */
  #enter(cell: HTMLElement): void {
    if (!cell.matches(CELL)) return;
    const words = unescaped(cell.dataset.source ?? "");
    if (cell.childElementCount > 0 || cell.textContent !== words) {
      cell.textContent = words;
      atEnd(cell);
    }
  }

  #leave(cell: HTMLElement): void {
    if (cell.matches(CELL)) cell.replaceChildren(...formatted(unescaped(cell.dataset.source ?? "")));
  }

  #write(cell: HTMLElement): void {
    if (!cell.matches(CELL)) return;
    const { row, column } = spotOf(cell);
    if (!sameWords(cell, cell.dataset.source ?? "")) this.#apply(setCell(this.#text, this.#table, row, column, wordsOf(cell)), { row, column });
  }

  /** Files are linked at the end of their cell. */
  #receive(event: Event, files: readonly File[]): void {
    const [attach] = this.view.state.facet(attaching).map((find) => find());
    if (files.length === 0 || !attach) return;
    event.preventDefault();
    event.stopPropagation();
    const cell = (event.target as HTMLElement).closest<HTMLElement>(CELL);
    if (!cell) return;
    const { row, column } = spotOf(cell);
    const cells = rowAt(this.#table, row)?.cells ?? [];
    const at = (cells[column] ?? cells.at(-1))?.to;
    if (at !== undefined) void attachAll(this.view, files, this.#from + at, attach);
  }

  /** Changes the text, and keeps the focus in a cell. */
  #apply(changes: readonly Change[], spot: Spot): void {
    const { view } = this;
    const start = this.#from;
    if (changes.length > 0 && !view.state.readOnly) {
      const moved = changes.map(({ from, to, insert }) => ({ from: from + start, to: to + start, insert }));
      view.dispatch({ changes: moved, userEvent: "input.table", annotations: placed.of(true) });
    }
    this.#focus(spot);
  }

  #focus(spot: Spot): void {
    const cell = this.#cell(spot);
    if (cell && document.activeElement !== cell) {
      cell.focus();
      atEnd(cell);
    }
  }

  #act: Act = (change, spot) => {
    this.#apply(change(this.#text, this.#table), this.#within(spot));
  };

  #within({ row, column }: Spot): Spot {
    const table = this.#table;
    return { row: Math.max(-1, Math.min(row, table.rows.length)), column: Math.max(0, Math.min(column, table.header.cells.length)) };
  }

  #click(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const button = target.closest<HTMLElement>("[data-handle]");
    if (!button) return;
    const table = this.#table;
    const place = Number(button.dataset.place);
    const kind = button.dataset.handle;
    if (kind === "add-row") this.#act(addedRow, { row: table.rows.length, column: 0 });
    else if (kind === "add-column") this.#act(addedColumn, { row: -1, column: table.header.cells.length });
    else if (kind === "row") openMenu(button, button.ariaLabel ?? "", rowItems(table, { row: place, column: 0 }, this.#act), () => this.#focus({ row: place, column: 0 }));
    else openMenu(button, button.ariaLabel ?? "", columnItems(table, { row: -1, column: place }, this.#act), () => this.#focus({ row: -1, column: place }));
  }

  #menu(event: Event): void {
    const cell = (event.target as HTMLElement).closest<HTMLElement>(CELL);
    // The browser's own menu corrects words: only the keyboard opens this one.
    if (!cell || (event instanceof PointerEvent && event.pointerType !== "")) return;
    event.preventDefault();
    this.#open(cell);
  }

  #open(cell: HTMLElement): void {
    const spot = spotOf(cell);
    const table = this.#table;
    const items = [...rowItems(table, spot, this.#act), ...columnItems(table, spot, this.#act), tableItems(() => this.#remove())];
    openMenu(cell, t("markdown.table"), items, () => this.#focus(spot));
  }

  #remove(): void {
    const from = this.#from;
    this.view.dispatch({ changes: { from, to: from + this.#text.length }, selection: { anchor: from }, userEvent: "delete.table" });
    this.view.focus();
  }

  #key(event: KeyboardEvent): void {
    const cell = event.target as HTMLElement;
    if (!cell.matches(CELL) || event.isComposing) return;
    if (!this.#pressed(event, cell)) {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #pressed(event: KeyboardEvent, cell: HTMLElement): boolean {
    const { row, column } = spotOf(cell);
    const mod = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (mod && key === "z") return event.shiftKey ? redo(this.view) || true : undo(this.view) || true;
    if (mod && key === "y") return redo(this.view) || true;
    if (event.key === "F10" && event.shiftKey) return this.#open(cell) ?? true;
    if (event.key === "Tab") return this.#step(row, column, event.shiftKey ? -1 : 1);
    if (event.key === "Enter") return this.#down(row, column);
    if (event.key === "Escape") return this.#out(1);
    if (event.key === "ArrowUp") return row < 0 ? this.#out(-1) : this.#go({ row: row - 1, column });
    if (event.key === "ArrowDown") return row >= this.#table.rows.length - 1 ? this.#out(1) : this.#go({ row: row + 1, column });
    if (event.key === "ArrowLeft" && caret(cell) === 0) return this.#step(row, column, -1, false);
    if (event.key === "ArrowRight" && caret(cell) === (cell.textContent ?? "").length) return this.#step(row, column, 1, false);
    return false;
  }

  #go(spot: Spot): boolean {
    this.#focus(spot);
    return true;
  }

  /** To the next cell; after the last one there is a new row. */
  #step(row: number, column: number, step: -1 | 1, grows = true): boolean {
    const { rows, header } = this.#table;
    const width = header.cells.length;
    const next = (row + 1) * width + column + step;
    if (next < 0) return this.#out(-1);
    if (next < (rows.length + 1) * width) return this.#go({ row: Math.floor(next / width) - 1, column: next % width });
    if (!grows) return this.#out(1);
    this.#act(addedRow, { row: rows.length, column: 0 });
    return true;
  }

  #down(row: number, column: number): boolean {
    const { rows } = this.#table;
    if (row < rows.length - 1) return this.#go({ row: row + 1, column });
    this.#act(addedRow, { row: rows.length, column });
    return true;
  }

  /** Out of the table, to the text before or after it. */
  #out(side: -1 | 1): boolean {
    const from = this.#from;
    const to = from + this.#text.length;
    const { state } = this.view;
    const isLast = side > 0 && to === state.doc.length;
    const isFirst = side < 0 && from === 0;
    if (isLast) this.view.dispatch({ changes: { from: to, insert: "\n\n" }, selection: { anchor: to + 2 }, annotations: placed.of(true) });
    else if (isFirst) this.view.dispatch({ changes: { from, insert: "\n\n" }, selection: { anchor: 0 }, annotations: placed.of(true) });
    else this.view.dispatch({ selection: { anchor: side > 0 ? to + 1 : from - 1 }, scrollIntoView: true });
    this.view.focus();
    return true;
  }
}

function addedRow(text: string, table: Table): Change[] {
  return addRow(text, table, table.rows.length);
}

function addedColumn(text: string, table: Table): Change[] {
  return addColumn(text, table, table.header.cells.length);
}

/** The caret's place in a cell; −1 with a selection. */
function caret(cell: HTMLElement): number {
  const selection = getSelection();
  if (!selection?.isCollapsed || !selection.anchorNode || !cell.contains(selection.anchorNode)) return -1;
  const range = document.createRange();
  range.setStart(cell, 0);
  range.setEnd(selection.anchorNode, selection.anchorOffset);
  return range.toString().length;
}

function atEnd(cell: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(cell);
  range.collapse(false);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
}

/** Puts the focus into a cell of the table that is shown at a place of the text. */
export function focusTable(view: EditorView, at: number, row: "first" | "last"): boolean {
  for (const holder of view.contentDOM.querySelectorAll<HTMLElement>("[data-table]")) {
    if (view.posAtDOM(holder) !== at) continue;
    const table = tableOf(holder.dataset.text ?? "");
    const place = row === "first" ? -1 : table.rows.length - 1;
    const cell = rowAt(table, place) && holder.querySelector<HTMLElement>(`[data-row="${place}"][data-column="0"]`);
    cell?.focus();
    return Boolean(cell);
  }
  return false;
}
