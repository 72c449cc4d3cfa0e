// @vitest-environment jsdom
/** A pasted file is linked, whether or not the editor is still there when it has arrived. */

import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";

import { blocks } from "./blocks";
import { language } from "./language";
import { attachAll, linkTo, receiving, type Attach } from "./uploads";

const MADE = { id: "f1", name: "plan.pdf", isImage: false };

function opened() {
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc: "See", extensions: [receiving(() => undefined)] }) });
  let arrive = (): void => undefined;
  const stored = new Promise<typeof MADE>((resolve) => (arrive = () => resolve(MADE)));
  const attach = { store: () => stored, append: vi.fn<Attach["append"]>() };
  const done = attachAll(view, [new File(["x"], "plan.pdf")], 3, attach);
  return { view, attach, arrive, done };
}

test("it is linked where it was put", async () => {
  const { view, attach, arrive, done } = opened();
  arrive();
  await done;
  expect(view.state.doc.toString()).toBe("See [plan.pdf](/files/f1) ");
  expect(attach.append).not.toHaveBeenCalled();
  view.destroy();
});

test("it is linked at the end of the page if the editor was left", async () => {
  const { view, attach, arrive, done } = opened();
  view.destroy();
  arrive();
  await done;
  expect(attach.append).toHaveBeenCalledExactlyOnceWith("[plan.pdf](/files/f1)", "plan.pdf");
});

test.each(["paste", "drop"])("%s of a file in a cell of a table links it at the end of the cell", async (type) => {
  const attach = { store: () => Promise.resolve({ ...MADE, name: "a|b.pdf" }), append: vi.fn<Attach["append"]>() };
  const doc = "| A | B |\n|---|---|\n| 1 | 2 |\n| 3 |\n\nEnd";
  const view = new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions: [language.extension, blocks, receiving(() => attach)] }) });
  // The second row has no cell there: the last one takes it.
  for (const [number, place] of ['[data-row="0"][data-column="0"]', '[data-row="1"][data-column="1"]'].entries()) {
    const files = { files: [new File(["x"], "a|b.pdf")], getData: () => "" };
    const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), { clipboardData: files, dataTransfer: files });
    view.dom.querySelector(place)?.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    await vi.waitFor(() => expect(view.state.doc.toString().split("/files/")).toHaveLength(number + 2));
  }
  const link = linkTo({ ...MADE, name: "a|b.pdf" });
  expect(link).toBe("[a\\|b.pdf](/files/f1)");
  expect(view.state.doc.toString()).toBe(`| A | B |\n|---|---|\n| 1 ${link}  | 2 |\n| 3 ${link}  |\n\nEnd`);
  view.destroy();
});
