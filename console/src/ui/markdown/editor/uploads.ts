/** Images and files that are pasted or dropped: uploaded, and linked where they were put. Until then the text stays as it is. */

import { Facet, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

import { t } from "@/i18n";
import { noticeFault } from "@/ui/notice";

import { markdownOf } from "./html";
import styles from "./Live.module.css";

export interface Attached {
  id: string;
  name: string;
  isImage: boolean;
}

export interface Attach {
  /** Stores a file beside the page. */
  store: (file: File, onSent: (share: number) => void) => Promise<Attached>;
  /** Puts the link of a file at the end of the page, whose editor was left while the file was on its way. */
  append: (link: string, name: string) => void;
}

interface Sending {
  id: number;
  name: string;
  share: number;
}

const began = StateEffect.define<Sending & { at: number }>({ map: (value, changes) => ({ ...value, at: changes.mapPos(value.at) }) });
const moved = StateEffect.define<{ id: number; share: number }>();
const ended = StateEffect.define<number>();

class Waiting extends WidgetType {
  constructor(readonly sending: Sending) {
    super();
  }
  override eq(other: Waiting): boolean {
    return other.sending.id === this.sending.id && other.sending.share === this.sending.share;
  }
  override toDOM(): HTMLElement {
    const holder = document.createElement("span");
    holder.className = styles.upload ?? "";
    const bar = document.createElement("progress");
    bar.value = this.sending.share;
    bar.setAttribute("aria-label", t("files.upload.progress", { name: this.sending.name }));
    holder.append(bar, t("markdown.uploading", { name: this.sending.name }));
    return holder;
  }
  override updateDOM(dom: HTMLElement): boolean {
    const bar = dom.querySelector("progress");
    if (bar) bar.value = this.sending.share;
    return bar !== null;
  }
}

const waiting = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    let next = now.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(began)) {
        const { at, ...sending } = effect.value;
        next = next.update({ add: [Decoration.widget({ widget: new Waiting(sending), side: 1 }).range(at)] });
      } else if (effect.is(ended)) next = next.update({ filter: (_, __, { spec }) => sendingOf(spec).id !== effect.value });
      else if (effect.is(moved)) next = redrawn(next, effect.value);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const sendingOf = (spec: unknown): Sending => (spec as { widget: Waiting }).widget.sending;

function redrawn(set: DecorationSet, { id, share }: { id: number; share: number }): DecorationSet {
  const place = placeOf(set, id);
  if (!place) return set;
  const rest = set.update({ filter: (_, __, { spec }) => sendingOf(spec).id !== id });
  return rest.update({ add: [Decoration.widget({ widget: new Waiting({ ...place.sending, share }), side: 1 }).range(place.at)] });
}

function placeOf(set: DecorationSet, id: number): { at: number; sending: Sending } | undefined {
  for (const cursor = set.iter(); cursor.value; cursor.next()) {
    const sending = sendingOf(cursor.value.spec);
    if (sending.id === id) return { at: cursor.from, sending };
  }
  return undefined;
}

/** Brackets in a name would end the words of a link, and a bar the cell that it's in. */
export function linkTo({ id, name, isImage }: Attached): string {
  const words = name.replace(/[[\]\\|]/g, "\\$&").replace(/\s+/g, " ");
  return `${isImage ? "!" : ""}[${words}](/files/${id})`;
}

let last = 0;

/** Uploads one file after the other at a place; what can't be uploaded is told, and the text stays. */
export async function attachAll(view: EditorView, files: readonly File[], at: number, attach: Attach): Promise<void> {
  const sendings = files.map((file) => ({ file, id: ++last, name: file.name, share: 0 }));
  view.dispatch({ effects: sendings.map(({ id, name, share }) => began.of({ id, name, share, at })) });
  for (const { file, id } of sendings) {
    try {
      const made = await attach.store(file, (share) => view.dispatch({ effects: moved.of({ id, share: Math.round(share * 50) / 50 }) }));
      if (view.dom.isConnected) insert(view, id, linkTo(made));
      else attach.append(linkTo(made), made.name);
    } catch (fault) {
      view.dispatch({ effects: ended.of(id) });
      noticeFault(fault);
    }
  }
}

function insert(view: EditorView, id: number, link: string): void {
  const place = placeOf(view.state.field(waiting), id);
  if (!place) return;
  const line = view.state.doc.lineAt(place.at);
  const before = line.text.slice(0, place.at - line.from);
  const lead = /\S$/.test(before) ? " " : "";
  const text = `${lead}${link} `;
  // A cursor that waited here goes on after it; one that went elsewhere stays there.
  const waits = view.state.selection.main.empty && view.state.selection.main.head === place.at;
  view.dispatch({
    changes: { from: place.at, insert: text },
    selection: waits ? { anchor: place.at + text.length } : undefined,
    effects: ended.of(id),
    userEvent: "input.paste",
  });
}

export const filesOf = (transfer: DataTransfer | null): File[] => [...(transfer?.files ?? [])];

/** Office programs add a picture of what is copied: the text is meant. */
export const pastedFiles = (transfer: DataTransfer | null): File[] => (transfer?.getData("text/plain") ? [] : filesOf(transfer));

/** For what has fields of its own. */
export const attaching = Facet.define<() => Attach | undefined>();

/** Without anywhere to store them, files are left to the browser. */
export function receiving(attach: () => Attach | undefined): Extension {
  let isPlain = false;
  return [
    waiting,
    attaching.of(attach),
    EditorView.domEventHandlers({
      keydown: (event) => {
        // With Shift, text is pasted as it is.
        isPlain = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
        return false;
      },
      paste(event, view) {
        const store = attach();
        const files = pastedFiles(event.clipboardData);
        const html = event.clipboardData?.getData("text/html") ?? "";
        if (files.length > 0 && store) {
          event.preventDefault();
          void attachAll(view, files, view.state.selection.main.to, store);
          return true;
        }
        const text = isPlain ? null : markdownOf(html);
        isPlain = false;
        if (text === null) return false;
        event.preventDefault();
        view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
        return true;
      },
      dragover: (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return false;
        event.preventDefault();
        return true;
      },
      drop(event, view) {
        const store = attach();
        const files = filesOf(event.dataTransfer);
        if (files.length === 0 || !store) return false;
        event.preventDefault();
        event.stopPropagation();
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.to;
        void attachAll(view, files, at, store);
        return true;
      },
    }),
  ];
}
