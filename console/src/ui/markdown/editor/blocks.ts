/**
 * Tables as blocks of their own. Only those near what is seen are looked for; others stay as they were found. What is being
 * typed becomes a table when the cursor leaves it.
 */

import { syntaxTree } from "@codemirror/language";
import { StateEffect, StateField, type EditorState, type Extension, type Transaction } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

import { placed } from "./tables/placed";
import { TableWidget } from "./tables/TableWidget";

interface Found {
  decorations: DecorationSet;
  /** Where the tables begin. */
  starts: ReadonlySet<number>;
  /** Where tables are looked for. */
  from: number;
  to: number;
}

/** Letters around the screen, so that a little scrolling finds tables in place. */
const MARGIN = 6_000;
/** A larger one is shown as text: every cell is an element. */
const LARGEST_TABLE = 60_000;

const look = StateEffect.define<{ from: number; to: number }>();

const tables = StateField.define<Found>({
  create: (state) => found(state, 0, Math.min(MARGIN, state.doc.length), Decoration.none),
  update(now, transaction) {
    const { state, startState, docChanged, changes } = transaction;
    const asked = transaction.effects.find((effect) => effect.is(look))?.value as { from: number; to: number } | undefined;
    const selection = !startState.selection.eq(state.selection);
    if (!asked && !docChanged && !selection && syntaxTree(startState) === syntaxTree(state)) return now;
    const from = asked ? asked.from : changes.mapPos(now.from, -1);
    const to = asked ? asked.to : changes.mapPos(now.to, 1);
    const before = docChanged ? now.decorations.map(changes) : now.decorations;
    return found(state, from, to, before, transaction);
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(field).decorations),
  ],
});

function found(state: EditorState, from: number, to: number, before: DecorationSet, transaction?: Transaction): Found {
  const known = new Set<number>();
  before.between(0, state.doc.length, (start) => void known.add(start));
  const ranges: { from: number; to: number; widget: TableWidget }[] = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter: (node) => {
      if (node.name === "Document") return true;
      if (node.name === "Table" && node.to - node.from <= LARGEST_TABLE) {
        const [start, end] = [state.doc.lineAt(node.from).from, node.to];
        // Indented lines are the rest of something else.
        const whole = start === node.from && !isTyped(state, start, end, known.has(start), transaction);
        if (whole) ranges.push({ from: start, to: end, widget: new TableWidget(state.sliceDoc(start, end)) });
      }
      return false;
    },
  });
  const kept = before.update({ filter: (start, end) => end < from || start > to });
  const decorations = kept.update({ add: ranges.map(({ widget, ...at }) => Decoration.replace({ widget, block: true }).range(at.from, at.to)), sort: true });
  const starts = new Set<number>();
  decorations.between(0, state.doc.length, (start) => void starts.add(start));
  return { decorations, starts, from, to };
}

/** While the cursor is in it, a table that wasn't one before stays text. */
function isTyped(state: EditorState, from: number, to: number, wasThere: boolean, transaction?: Transaction): boolean {
  if (wasThere || !transaction || transaction.annotation(placed)) return false;
  const { head } = state.selection.main;
  return head >= from && head <= to;
}

/** Asks for the tables around the screen when it has moved. */
const following = ViewPlugin.fromClass(
  class {
    #asked = false;
    update({ view, viewportChanged }: ViewUpdate): void {
      if (!viewportChanged || this.#asked) return;
      const { from, to } = view.viewport;
      const now = view.state.field(tables);
      if (from >= now.from && to <= now.to) return;
      this.#asked = true;
      // A view can't be changed while it updates.
      setTimeout(() => {
        this.#asked = false;
        if (!view.dom.isConnected) return;
        const { viewport, state } = view;
        view.dispatch({ effects: look.of({ from: Math.max(0, viewport.from - MARGIN), to: Math.min(state.doc.length, viewport.to + MARGIN) }) });
      });
    }
  },
);

export const blocks: Extension = [tables, following];

const NONE: ReadonlySet<number> = new Set();

/** Where tables that are shown as blocks begin. */
export function tableRanges(state: EditorState): ReadonlySet<number> {
  return state.field(tables, false)?.starts ?? NONE;
}

/** The table that a block at this place shows. */
export function tableAt(state: EditorState, at: number): { from: number; to: number } | undefined {
  let place: { from: number; to: number } | undefined;
  state.field(tables, false)?.decorations.between(at, at, (from, to) => void (place ??= { from, to }));
  return place;
}
