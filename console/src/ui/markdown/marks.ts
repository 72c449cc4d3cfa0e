/** Keyboard shortcuts for bold, italic and code. */

import { EditorSelection } from "@codemirror/state";
import type { EditorView, KeyBinding } from "@codemirror/view";

/** Wraps the selection, or unwraps it. */
function around(mark: string): (view: EditorView) => boolean {
  return (view) => {
    const change = view.state.changeByRange((range) => {
      const { from, to } = range;
      const before = view.state.sliceDoc(from - mark.length, from);
      const after = view.state.sliceDoc(to, to + mark.length);
      if (before === mark && after === mark) {
        return {
          changes: [{ from: from - mark.length, to: from }, { from: to, to: to + mark.length }],
          range: EditorSelection.range(from - mark.length, to - mark.length),
        };
      }
      return {
        changes: [{ from, insert: mark }, { from: to, insert: mark }],
        range: EditorSelection.range(from + mark.length, to + mark.length),
      };
    });
    view.dispatch(view.state.update(change, { userEvent: "input", scrollIntoView: true }));
    return true;
  };
}

export const MARKS: KeyBinding[] = [
  { key: "Mod-b", run: around("**") },
  { key: "Mod-i", run: around("_") },
  { key: "Mod-e", run: around("`") },
];
