import { history, undo } from "@codemirror/commands";
import { EditorState, Transaction } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { spliced, splicesTo, type Splice } from "./splice";

describe("splicing", () => {
  it.each([
    ["abc", "abc", null],
    ["a\nb", "a\r\nb", null],
    ["abc", "abXc", { from: 2, to: 2, insert: "X" }],
    ["abc", "ac", { from: 1, to: 2, insert: "" }],
    ["", "new", { from: 0, to: 0, insert: "new" }],
    ["aa", "aaa", { from: 2, to: 2, insert: "a" }],
  ])("of %j into %j", (present, wanted, change) => {
    expect(spliced(present, wanted)).toEqual(change);
  });

  it.each([
    ["a\nb", "a\r\nb", []],
    ["one\ntwo\nthree", "One\ntwo\nthree!", [{ from: 0, to: 1, insert: "O" }, { from: 13, to: 13, insert: "!" }]],
    ["the red crane is back", "the blue crane was back", [{ from: 4, to: 7, insert: "blue" }, { from: 14, to: 15, insert: "wa" }]],
    ["", "new", [{ from: 0, to: 0, insert: "new" }]],
    ["old\n", "", [{ from: 0, to: 4, insert: "" }]],
  ])("of %j into %j, at each place that differs", (present, wanted, changes) => {
    expect(splicesTo(present, wanted)).toEqual(changes);
  });

  it("makes any text of any other, in order", () => {
    const text = fc.array(fc.constantFrom("a", "b", "é", " ", "\n", "word", ".", "🍞"), { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (present, wanted) => {
        const changes = splicesTo(present, wanted);
        expect(changes.every(({ from, to }, place) => from <= to && from >= (changes[place - 1]?.to ?? 0))).toBe(true);
        expect(EditorState.create({ doc: present }).update({ changes }).state.doc.toString()).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves the cursor and the steps to undo that are between two places", () => {
    const typed = "one\ntwo mine\nthree";
    let state = EditorState.create({ doc: "one\ntwo\nthree", extensions: history() });
    state = state.update({ changes: { from: 7, insert: " mine" }, selection: { anchor: 12 }, userEvent: "input.type" }).state;
    const take = (changes: Splice[]): void => void (state = state.update({ changes, annotations: Transaction.addToHistory.of(false) }).state);
    take(splicesTo(typed, "ONE\ntwo mine\nthree, theirs"));
    expect(state.sliceDoc(0, state.selection.main.head)).toBe("ONE\ntwo mine");
    undo({ state, dispatch: (transaction) => (state = transaction.state) });
    expect(state.doc.toString()).toBe("ONE\ntwo\nthree, theirs");
  });
});
