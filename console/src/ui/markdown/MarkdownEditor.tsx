/** Markdown editor: plain text with highlighting, undo and list continuation. Lazy-loaded. */

import "@fontsource-variable/jetbrains-mono/wght-italic.css";

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdownKeymap, markdownLanguage } from "@codemirror/lang-markdown";
import { syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView, keymap, placeholder as hint } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import styles from "./MarkdownEditor.module.css";
import { MARKS } from "./marks";
import { spliced } from "./splice";

interface Props {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  /** Focus on mount. */
  focused?: boolean;
}

const LOOK = tagHighlighter([
  { tag: tags.heading, class: styles.heading ?? "" },
  { tag: tags.strong, class: styles.strong ?? "" },
  { tag: tags.emphasis, class: styles.emphasis ?? "" },
  { tag: tags.strikethrough, class: styles.struck ?? "" },
  { tag: tags.monospace, class: styles.code ?? "" },
  { tag: tags.link, class: styles.link ?? "" },
  { tag: tags.url, class: styles.mark ?? "" },
  { tag: tags.quote, class: styles.quote ?? "" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], class: styles.mark ?? "" },
]);

const nonce = (): string => document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";

export default function MarkdownEditor({ value, onChange, label, placeholder, focused }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  const first = useRef({ value, label, placeholder, focused });
  const naming = useRef(new Compartment());

  useEffect(() => {
    tell.current = onChange;
  }, [onChange]);

  useEffect(() => {
    const { value: doc, label: name, placeholder: words, focused: takesFocus } = first.current;
    const editor = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          history(),
          keymap.of([...MARKS, ...markdownKeymap, ...defaultKeymap, ...historyKeymap]),
          // Only the language: the default setup also bundles HTML, CSS and JavaScript.
          markdownLanguage.extension,
          syntaxHighlighting(LOOK),
          EditorView.lineWrapping,
          naming.current.of(named(name)),
          words ? hint(words) : [],
          EditorView.updateListener.of((update) => {
            if (update.docChanged) tell.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (takesFocus) editor.focus();
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: naming.current.reconfigure(named(label)) });
  }, [label]);

  useEffect(() => {
    // The value changed from outside: replace only what differs, so the cursor keeps its position. Undo leaves it.
    const editor = view.current;
    const change = editor && spliced(editor.state.doc.toString(), value);
    if (change) editor.dispatch({ changes: change, annotations: Transaction.addToHistory.of(false) });
  }, [value]);

  return <div ref={host} className={styles.editor} />;
}

function named(label: string) {
  return EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocapitalize: "sentences", autocorrect: "on" });
}
