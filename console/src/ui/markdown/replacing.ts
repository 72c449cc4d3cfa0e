/** What replaces a selection gets the colours of the selection as inline styles from Chromium, which the page forbids: the editor does it. */

import { EditorView } from "@codemirror/view";

export const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || event.isComposing || view.state.selection.main.empty) return false;
    // The cells of a table are fields of their own.
    if (event.target !== view.contentDOM) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
