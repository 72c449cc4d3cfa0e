/** JSON for the editor: colours, and indentation by brackets. */

import { StreamLanguage, type StreamParser } from "@codemirror/language";

interface State {
  /** Open brackets: an object expects keys. */
  open: ("{" | "[")[];
  /** The next text is a key. */
  isKey: boolean;
}

const parser: StreamParser<State> = {
  name: "json",
  startState: () => ({ open: [], isKey: false }),
  copyState: ({ open, isKey }) => ({ open: [...open], isKey }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
      const wasKey = state.isKey;
      state.isKey = false;
      return wasKey ? "propertyName" : "string";
    }
    if (stream.match(/^-?\d[\d.eE+-]*/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "keyword";
    const letter = stream.next();
    if (letter === "{" || letter === "[") {
      state.open.push(letter);
      state.isKey = letter === "{";
    } else if (letter === "}" || letter === "]") {
      state.open.pop();
      state.isKey = false;
    } else if (letter === ",") {
      state.isKey = state.open.at(-1) === "{";
    }
    return letter && "{}[],:".includes(letter) ? "punctuation" : "invalid";
  },
  indent({ open }, textAfter, { unit }) {
    const closing = /^\s*[\]}]/.test(textAfter) ? 1 : 0;
    return Math.max(0, open.length - closing) * unit;
  },
};

export const json = StreamLanguage.define(parser);
