// @vitest-environment jsdom
/** A pasted file is linked, whether or not the editor is still there when it has arrived. */

import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test, vi } from "vitest";

import { attachAll, receiving, type Attach } from "./uploads";

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
