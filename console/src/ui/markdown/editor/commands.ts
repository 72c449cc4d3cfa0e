/** What the toolbar, the menu and the keys do to the text. */

import { EditorSelection, type ChangeSpec, type EditorState, type Line } from "@codemirror/state";
import type { EditorView, KeyBinding } from "@codemirror/view";
import { indentLess, indentMore } from "@codemirror/commands";

import { tableAt } from "./blocks";
import { placed } from "./tables/placed";
import { newTable } from "./tables/table";
import { focusTable } from "./tables/TableWidget";
import { toggleTask } from "./widgets";

export type Run = (view: EditorView) => boolean;

/** Wraps the selection, or the word at the cursor; or unwraps it. */
export function around(mark: string): Run {
  return (view) => {
    const { state } = view;
    const change = state.changeByRange((range) => {
      const word = range.empty ? state.wordAt(range.head) : null;
      const { from, to } = word ?? range;
      const size = mark.length;
      if (wraps(state, from - size, from, mark) && wraps(state, to, to + size, mark)) {
        return {
          changes: [{ from: from - size, to: from }, { from: to, to: to + size }],
          range: EditorSelection.range(range.anchor - size, range.head - size),
        };
      }
      return {
        changes: [{ from, insert: mark }, { from: to, insert: mark }],
        range: EditorSelection.range(range.anchor + size, range.head + size),
      };
    });
    view.dispatch(state.update(change, { userEvent: "input", scrollIntoView: true }));
    return true;
  };
}

/** One star around a word is not the half of two. */
function wraps(state: EditorState, from: number, to: number, mark: string): boolean {
  if (from < 0 || state.sliceDoc(from, to) !== mark) return false;
  const sign = mark[0];
  return mark.length > 1 || (state.sliceDoc(from - 1, from) !== sign && state.sliceDoc(to, to + 1) !== sign);
}

function linesOf(state: EditorState): Line[] {
  const found: Line[] = [];
  for (const { from, to } of state.selection.ranges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      if (found.at(-1)?.number !== line.number) found.push(line);
      at = line.to + 1;
    }
  }
  return found;
}

const HEADING = /^#{1,6}\s+/;
/** The indentation, and what a line begins with: a bullet, a number, a task. */
const LEAD = /^(\s*)((?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?/;

/** Replaces what lines begin with; lines that all have it lose it. */
function leading(view: EditorView, has: (text: string) => boolean, change: (line: Line, place: number) => ChangeSpec, drop: (line: Line) => ChangeSpec): boolean {
  const { state } = view;
  const lines = linesOf(state).filter(({ text }, _, all) => all.length === 1 || text.trim() !== "");
  const all = lines.every(({ text }) => has(text));
  const changes = state.changes(lines.map((line, place) => (all ? drop(line) : change(line, place))));
  view.dispatch({ changes, selection: state.selection.map(changes, 1), userEvent: "input", scrollIntoView: true });
  return true;
}

/** Level 0 is plain text. */
export function heading(level: number): Run {
  const mark = level > 0 ? `${"#".repeat(level)} ` : "";
  const replaced = (line: Line, insert: string): ChangeSpec => ({ from: line.from, to: line.from + (HEADING.exec(line.text)?.[0].length ?? 0), insert });
  return (view) => leading(view, (text) => (HEADING.exec(text)?.[0].trim().length ?? 0) === level, (line) => replaced(line, mark), (line) => replaced(line, ""));
}

export type ListKind = "bullet" | "number" | "task";

const IS_LIST: Record<ListKind, RegExp> = {
  bullet: /^\s*[-*+]\s+(?!\[[ xX]\]\s)/,
  number: /^\s*\d{1,9}[.)]\s+/,
  task: /^\s*[-*+]\s+\[[ xX]\]\s/,
};

export function list(kind: ListKind): Run {
  const signs: Record<ListKind, (place: number) => string> = { bullet: () => "- ", number: (place) => `${place + 1}. `, task: () => "- [ ] " };
  const replaced = (line: Line, insert: string): ChangeSpec => {
    const [whole, blanks] = LEAD.exec(line.text) ?? ["", ""];
    return { from: line.from + (blanks?.length ?? 0), to: line.from + whole.length, insert };
  };
  return (view) => leading(view, (text) => IS_LIST[kind].test(text), (line, place) => replaced(line, signs[kind](place)), (line) => replaced(line, ""));
}

export const quote: Run = (view) =>
  leading(
    view,
    (text) => text.startsWith(">"),
    (line) => ({ from: line.from, insert: "> " }),
    (line) => ({ from: line.from, to: line.from + (/^>\s?/.exec(line.text)?.[0].length ?? 0) }),
  );

/** The selected lines become code; without a selection an empty block is begun. */
export const codeBlock: Run = (view) => {
  const { state } = view;
  const { from, to, empty } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  const fence = /^`{3,}/m.test(state.sliceDoc(first.from, last.to)) ? "````" : "```";
  if (empty && first.text.trim() !== "") return put(view, `${fence}\n\n${fence}`, fence.length + 1);
  view.dispatch({
    changes: [{ from: first.from, insert: `${fence}\n` }, { from: last.to, insert: `\n${fence}` }],
    selection: { anchor: from + fence.length + 1, head: to + fence.length + 1 },
    userEvent: "input",
    scrollIntoView: true,
  });
  return true;
};

/** Puts a block on lines of its own after the cursor's line, or in place of an empty one; the cursor goes into it. */
export function put(view: EditorView, block: string, cursor: number, isTable = false): boolean {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const isEmpty = line.text.trim() === "";
  const at = isEmpty ? line.from : line.to;
  const before = isEmpty ? (line.number > 1 && state.doc.line(line.number - 1).text.trim() !== "" ? "\n" : "") : "\n\n";
  const after = line.number < state.doc.lines && state.doc.line(line.number + 1).text.trim() !== "" ? "\n" : "";
  view.dispatch({
    changes: { from: at, to: line.to, insert: before + block + after },
    selection: { anchor: at + before.length + cursor },
    annotations: placed.of(isTable),
    userEvent: "input",
    scrollIntoView: true,
  });
  return true;
}

export const table: Run = (view) => {
  const { state } = view;
  const text = newTable();
  put(view, text, text.length, true);
  const from = view.state.selection.main.head - text.length;
  // The block is there once the text has been read and drawn.
  setTimeout(() => focusTable(view, from, "first"), 50);
  return state !== view.state;
};

export const rule: Run = (view) => put(view, "---\n", 4);

/** The selection becomes the words of a link, whose address is selected; an address becomes the target. */
export const link: Run = (view) => {
  const { state } = view;
  const { from, to } = state.selection.main;
  const words = state.sliceDoc(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(words);
  const insert = isAddress ? `[](${words})` : `[${words}](https://)`;
  const start = from + (isAddress ? 1 : words.length + 3);
  const selection = isAddress ? { anchor: start } : { anchor: start, head: start + "https://".length };
  view.dispatch({ changes: { from, to, insert }, selection: words === "" ? { anchor: from + 1 } : selection, userEvent: "input", scrollIntoView: true });
  return true;
};

/** Up and down go into the cells of a table. */
const into = (step: -1 | 1): Run => (view) => {
  const { state } = view;
  const { main } = state.selection;
  if (!main.empty) return false;
  const line = state.doc.lineAt(main.head);
  const at = step > 0 ? line.to + 1 : line.from - 1;
  if (at < 0 || at > state.doc.length) return false;
  // Of a wrapped line, only the first and the last row are next to the table.
  const moved = view.moveVertically(main, step > 0);
  if (moved.head >= line.from && moved.head <= line.to && moved.head !== main.head) return false;
  const found = tableAt(state, at);
  return found ? focusTable(view, found.from, step > 0 ? "first" : "last") : false;
};

/** In a list, Tab changes the level; elsewhere it leaves the editor, as it leaves every field. */
const inList = (run: Run): Run => (view) => (linesOf(view.state).every(({ text }) => /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(text)) ? run(view) : false);

export const bold = around("**");
export const italic = around("_");
export const struck = around("~~");
export const code = around("`");

export const KEYS: KeyBinding[] = [
  { key: "Mod-b", run: bold },
  { key: "Mod-i", run: italic },
  { key: "Mod-e", run: code },
  { key: "Mod-Shift-x", run: struck },
  { key: "Mod-Alt-0", run: heading(0) },
  { key: "Mod-Alt-1", run: heading(1) },
  { key: "Mod-Alt-2", run: heading(2) },
  { key: "Mod-Alt-3", run: heading(3) },
  { key: "Mod-Shift-7", run: list("number") },
  { key: "Mod-Shift-8", run: list("bullet") },
  { key: "Mod-Shift-9", run: list("task") },
  { key: "Mod-Enter", run: (view) => toggleTask(view) },
  { key: "ArrowUp", run: into(-1) },
  { key: "ArrowDown", run: into(1) },
  { key: "Tab", run: inList(indentMore), shift: inList(indentLess) },
];
