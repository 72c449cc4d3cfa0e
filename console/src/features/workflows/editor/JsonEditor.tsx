/** Editor for JSON: line numbers, colours, undo, and marks where something is wrong. Lazy-loaded. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState, RangeSetBuilder, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";

import { replacing } from "@/ui/markdown/replacing";
import { spliced } from "@/ui/markdown/splice";

import styles from "./JsonEditor.module.css";
import { json } from "./jsonLanguage";
import type { Place } from "./places";

export interface EditorHandle {
  /** Moves the cursor and the focus there. */
  jump: (place: Place) => void;
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** Where something is wrong. */
  marks: readonly Place[];
  /** The id of the list of errors. */
  describedBy?: string;
  ref?: Ref<EditorHandle>;
}

const LOOK = tagHighlighter([
  { tag: tags.propertyName, class: styles.key ?? "" },
  { tag: tags.string, class: styles.text ?? "" },
  { tag: tags.number, class: styles.number ?? "" },
  { tag: tags.keyword, class: styles.word ?? "" },
  { tag: tags.punctuation, class: styles.sign ?? "" },
  { tag: tags.invalid, class: styles.odd ?? "" },
]);

const mark = StateEffect.define<readonly Place[]>();
const UNDERLINE = Decoration.mark({ class: styles.fault });

/** Marks move with the text until the next check. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    const given = transaction.effects.find((effect) => effect.is(mark));
    if (!given) return now.map(transaction.changes);
    const end = transaction.newDoc.length;
    const ranges = (given.value as readonly Place[])
      .map(({ from, to }) => ({ from: Math.min(from, Math.max(0, end - 1)), to: Math.min(Math.max(to, from + 1), end) }))
      .map(({ from, to }) => ({ from, to: Math.min(to, transaction.newDoc.lineAt(from).to) }))
      .filter(({ from, to }) => to > from)
      .map(({ from, to }) => UNDERLINE.range(from, to));
    return Decoration.set(ranges, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class FaultMarker extends GutterMarker {
  override toDOM(): Node {
    const dot = document.createElement("span");
    dot.className = styles.dot ?? "";
    return dot;
  }
}
const DOT = new FaultMarker();

const faultGutter = gutter({
  class: styles.faults,
  markers: (view) => {
    const lines = new Set<number>();
    view.state.field(marked).between(0, view.state.doc.length, (from) => void lines.add(view.state.doc.lineAt(from).from));
    const builder = new RangeSetBuilder<GutterMarker>();
    for (const line of [...lines].sort((one, other) => one - other)) builder.add(line, line, DOT);
    return builder.finish();
  },
  initialSpacer: () => DOT,
});

const nonce = (): string => document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";

export default function JsonEditor({ value, onChange, label, marks, describedBy, ref }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  const first = useRef({ value, label, describedBy });

  useEffect(() => {
    tell.current = onChange;
  }, [onChange]);

  useEffect(() => {
    const { value: doc, label: name, describedBy: described } = first.current;
    const editor = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          faultGutter,
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          bracketMatching(),
          // Tab leaves the editor, as it leaves every field.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          json,
          syntaxHighlighting(LOOK),
          marked,
          replacing,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ tabindex: "0", "aria-label": name, ...(described ? { "aria-describedby": described } : {}), spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    // The value changed from outside: replace only what differs, so the cursor keeps its position.
    const editor = view.current;
    const change = editor && spliced(editor.state.doc.toString(), value);
    if (change) editor.dispatch({ changes: change, annotations: Transaction.addToHistory.of(true) });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: mark.of(marks) });
  }, [marks]);

  useImperativeHandle(ref, () => ({
    jump({ from, to }) {
      const editor = view.current;
      if (!editor) return;
      const end = editor.state.doc.length;
      const line = editor.state.doc.lineAt(Math.min(from, end));
      editor.dispatch({
        selection: { anchor: Math.min(from, end), head: Math.min(to, line.to) },
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: "center" }),
      });
      editor.focus();
    },
  }));

  return <div ref={host} className={styles.editor} />;
}
