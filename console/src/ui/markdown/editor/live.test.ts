// @vitest-environment jsdom
/** The formatted view never changes a letter, shows marks where the cursor is, and looks only at what is seen. */

import { EditorState } from "@codemirror/state";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { EditorView, type Decoration } from "@codemirror/view";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

import { edited, withoutEndings } from "../endings";
import { splicesOf } from "../splice";
import { blocks } from "./blocks";
import { DEEPEST, counted, language } from "./language";
import { decorationsIn, live } from "./live";
import { anyMarkdown } from "./samples.test-data";
import { toggleTask } from "./widgets";

beforeAll(() => {
  // No layout here: every text has no size.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Range.prototype.getBoundingClientRect = () => new DOMRect();
});

/** Other tests may use the processor. */
const PATIENCE_MS = 120_000;

const views: EditorView[] = [];
afterEach(() => views.splice(0).forEach((view) => view.destroy()));

/** As the editor has it. */
const shownMarkdown = anyMarkdown.map(withoutEndings);

function opened(doc: string, formatted = true): EditorView {
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions: [language.extension, formatted ? [blocks, live] : []] }) });
  views.push(view);
  return view;
}

const stateOf = (doc: string, anchor = 0): EditorState => {
  const state = EditorState.create({ doc, selection: { anchor }, extensions: [language.extension] });
  ensureSyntaxTree(state, doc.length, 5_000);
  return state;
};

/** What is hidden, and what is shown in its place. */
function hidden(state: EditorState, focused = true): string[] {
  const { found } = decorationsIn(state, [{ from: 0, to: state.doc.length }], focused);
  const isReplaced = (value: Decoration): boolean => value.point && value.spec.class === undefined && !("attributes" in value.spec);
  return found.filter(({ value, from, to }) => isReplaced(value) && to > from).map(({ from, to }) => state.sliceDoc(from, to));
}

test("a text that is loaded, drawn, and walked through stays the same, letter for letter", () => {
  fc.assert(
    fc.property(anyMarkdown, fc.array(fc.nat(400), { maxLength: 8 }), (stored, places) => {
      const view = opened(stored);
      const text = withoutEndings(stored);
      expect(view.state.doc.toString()).toBe(text);
      for (const place of places) {
        const anchor = Math.min(place, text.length);
        view.dispatch({ selection: { anchor, head: Math.min(text.length, anchor + (place % 7)) } });
      }
      expect(view.state.doc.toString()).toBe(text);
      view.destroy();
    }),
    { numRuns: 100 },
  );
}, PATIENCE_MS);

test.each(["[half](\n!)\n", "[words](/notes/x\n\"title\")", "![words](/files/x\n\"title\")"])("a link whose address is on two lines is shown as it is: %j", (text) => {
  expect(hidden(stateOf(text), false)).toEqual([]);
  expect(opened(text).state.doc.toString()).toBe(text);
});

test("at every place of the cursor the marks that are hidden are whole, and no line break is", () => {
  fc.assert(
    fc.property(shownMarkdown, (text) => {
      for (let anchor = 0; anchor <= text.length; anchor += 3) {
        const state = stateOf(text, anchor);
        const { found } = decorationsIn(state, [{ from: 0, to: text.length }], true);
        for (const { from, to, value } of found) {
          expect(from).toBeLessThanOrEqual(to);
          expect(to).toBeLessThanOrEqual(text.length);
          // A view refuses replacements across lines that come from what it shows.
          if (value.point && to > from) expect(state.sliceDoc(from, to)).not.toContain("\n");
        }
      }
    }),
    { numRuns: 60 },
  );
}, PATIENCE_MS);

test("what is typed at any place is there, and nothing else", () => {
  fc.assert(
    fc.property(anyMarkdown, fc.nat(400), shownMarkdown, (stored, place, typed) => {
      const view = opened(stored);
      const text = withoutEndings(stored);
      const at = Math.min(place, text.length);
      const typing = view.state.update({ changes: { from: at, insert: typed }, selection: { anchor: at + typed.length }, userEvent: "input.type" });
      view.dispatch(typing);
      expect(view.state.doc.toString()).toBe(text.slice(0, at) + typed + text.slice(at));
      expect(withoutEndings(edited(stored, splicesOf(typing.changes)))).toBe(view.state.doc.toString());
      view.destroy();
    }),
    { numRuns: 60 },
  );
}, PATIENCE_MS);

test("ticking changes exactly one letter, and ticking again brings it back", () => {
  fc.assert(
    fc.property(shownMarkdown, fc.constantFrom("- [ ] task", "* [x] task", "> - [ ] task", "1. [X] task"), shownMarkdown, (before, task, after) => {
      const text = `${before}\n\n${task}\n\n${after}`;
      const view = opened(text, false);
      const at = before.length + 3;
      expect(toggleTask(view, at)).toBe(true);
      const now = view.state.doc.toString();
      expect(now.length).toBe(text.length);
      expect([...now].filter((letter, place) => letter !== [...text][place])).toHaveLength(1);
      toggleTask(view, at);
      expect(view.state.doc.toString().toLowerCase()).toBe(text.toLowerCase());
      view.destroy();
    }),
    { numRuns: 60 },
  );
}, PATIENCE_MS);

describe("marks", () => {
  test.each([
    ["**bold** text", ["**", "**"]],
    ["_italic_ and `code`", ["_", "_", "`", "`"]],
    ["## Heading", ["## "]],
    ["[words](https://example.org)", ["[", "](https://example.org)"]],
    ["> quote", ["> "]],
    ["- item", ["- "]],
    ["- [ ] task", ["- [ ] "]],
    ["---", ["---"]],
    ["\\*plain\\*", ["\\", "\\"]],
    ["```js\na\n```", ["```js", "```"]],
    ["![a](/files/f1)", ["![a](/files/f1)"]],
    ["Energy $E$", ["$E$"]],
  ])("of %j are hidden", (text, marks) => {
    expect(hidden(stateOf(text), false)).toEqual(marks);
  });

  test("are shown where the cursor is, and only there", () => {
    const text = "**one** and **two**";
    expect(hidden(stateOf(text, 3))).toHaveLength(2);
    expect(hidden(stateOf(text, 9))).toHaveLength(4);
  });

  test("an image from elsewhere is named and never fetched", () => {
    const { found } = decorationsIn(stateOf("![a](https://example.org/a.png)"), [{ from: 0, to: 31 }], false);
    const widget = found.find(({ value }) => value.spec.widget)?.value.spec.widget as { toDOM: (view: unknown) => HTMLElement };
    expect(widget.toDOM(null).querySelector("img")).toBeNull();
  });
});

describe("a text of a megabyte", () => {
  const SCREEN = 4_000;
  const MEGABYTE = 1_000_000;
  const repeated = (piece: string): string => piece.repeat(Math.ceil(MEGABYTE / piece.length)).slice(0, MEGABYTE);

  test.each([
    ["one line of marks", repeated("**a** ")],
    ["one line of open brackets", repeated("[")],
    ["one line of stars", repeated("a* ")],
    ["100,000 items", repeated("- item **b**\n")],
    ["10,000 quotes in each other", `${"> ".repeat(10_000)}deep\n`.repeat(45)],
    ["items in each other", Array.from({ length: 1_300 }, (_, depth) => `${" ".repeat(2 * (depth % 700))}- a\n`).join("")],
    ["one paragraph of short lines", repeated("a* b _c_ [d\n")],
    ["one fence in a quote", `> \`\`\`\n${repeated("> a\n")}`],
    ["one task list", repeated("- [ ] a\n")],
    ["one table", `| a | b |\n|---|---|\n${repeated("| 1 | 2 |\n")}`],
  ])("is drawn screen by screen, whatever it is: %s", (_, text) => {
    counted.inline = 0;
    const state = EditorState.create({ doc: text, extensions: [language.extension] });
    ensureSyntaxTree(state, Math.min(text.length, 60_000), 20_000);
    expect(counted.inline).toBeLessThan(400_000);
    const { steps, found } = decorationsIn(state, [{ from: 0, to: Math.min(SCREEN, text.length) }], true);
    expect(steps).toBeLessThan(4 * SCREEN);
    expect(found.length).toBeLessThan(4 * SCREEN);
  }, PATIENCE_MS);

  test("is never nested deeper than the limit", () => {
    const state = stateOf(`${"> ".repeat(10_000)}deep`);
    let depth = 0;
    for (let node = syntaxTree(state).resolveInner(20_000, 1); node.parent; node = node.parent) depth += 1;
    expect(depth).toBeLessThan(DEEPEST + 6);
  });
});
