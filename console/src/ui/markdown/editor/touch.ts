/** Whether the cursor or a selection touches a range: there the marks of Markdown are shown. */

import type { EditorState } from "@codemirror/state";

export function touches(state: EditorState, from: number, to: number): boolean {
  return state.selection.ranges.some((range) => range.from <= to && range.to >= from);
}
