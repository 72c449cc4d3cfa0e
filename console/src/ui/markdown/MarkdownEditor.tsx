/**
 * Markdown editor: the text is Markdown and stays so, what people see is the formatted text; the source can be shown instead.
 * Lazy-loaded.
 */

import "@fontsource-variable/inter/wght-italic.css";
import "@fontsource-variable/jetbrains-mono/wght-italic.css";

import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, redoDepth, undoDepth } from "@codemirror/commands";
import { markdownKeymap } from "@codemirror/lang-markdown";
import { syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, Transaction, type Extension } from "@codemirror/state";
import { EditorView, keymap, placeholder as hint, tooltips } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { Suspense, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { lazily } from "@/ui/lazily";

import type { Asked } from "./editor/Assistance";
import { blocks } from "./editor/blocks";
import { KEYS } from "./editor/commands";
import { completions, type Sources } from "./editor/completions";
import { FormatBar, type Steps } from "./editor/FormatBar";
import { language } from "./editor/language";
import { links, type Open } from "./editor/links";
import { live } from "./editor/live";
import { atSelection } from "./editor/selection";
import { SelectionBar } from "./editor/SelectionBar";
import bar from "./editor/SelectionBar.module.css";
import { attachAll, receiving, type Attach } from "./editor/uploads";
import { edited } from "./endings";
import styles from "./MarkdownEditor.module.css";
import { replacing } from "./replacing";
import { splicesOf, splicesTo } from "./splice";

const Assistance = lazily(() => import("./editor/Assistance"));

interface Props {
  value: string;
  onChange: (value: string) => void;
  label: string;
  placeholder?: string;
  /** Focus on mount. */
  focused?: boolean;
  /** Whether the Markdown is shown as it is. */
  source: boolean;
  onSource: (source: boolean) => void;
  /** Stores pasted and dropped files; undefined for those who may not. */
  attach?: Attach;
  targets: Omit<Sources, "file">;
  onOpen: Open;
  /** What a model can do with a selection. */
  assistance: readonly Asked[];
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
const look = (source: boolean): Extension => (source ? syntaxHighlighting(LOOK) : [blocks, live]);

/** Marks what was changed from outside. */
const given = Annotation.define<boolean>();

export default function MarkdownEditor(props: Props) {
  const { value, label, source, onSource, attach, assistance } = props;
  const host = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const latest = useRef(props);
  const first = useRef(props);
  /** The text with its own line endings. */
  const stored = useRef(value);
  const naming = useRef(new Compartment());
  const looking = useRef(new Compartment());
  const [view, setView] = useState<EditorView | null>(null);
  const [steps, setSteps] = useState<Steps>({ undo: false, redo: false });
  const [asked, setAsked] = useState<Asked | null>(null);
  const [place] = useState(placeOfBar);
  const [isSelected, setSelected] = useState(false);

  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    const { value: doc, label: name, placeholder: words, focused: takesFocus, source: isSource } = first.current;
    const file = (): void => chooser.current?.click();
    const sources = (): Sources => ({ ...latest.current.targets, file: latest.current.attach ? file : undefined });
    const editor = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          history(),
          tooltips({ position: "fixed", tooltipSpace: besideBar }),
          EditorView.scrollMargins.of(clearOfBar),
          atSelection({ dom: place, onShown: setSelected, otherwise: () => host.current?.parentElement?.querySelector<HTMLElement>("[role=toolbar] [tabindex='0']")?.focus() }),
          completions(sources),
          keymap.of([...completionKeymap, ...KEYS, ...markdownKeymap, ...defaultKeymap, ...historyKeymap]),
          // Only the language: the default setup also bundles HTML, CSS and JavaScript.
          language.extension,
          looking.current.of(look(isSource)),
          receiving(() => latest.current.attach),
          links((address) => latest.current.onOpen(address)),
          replacing,
          EditorView.lineWrapping,
          naming.current.of(named(name)),
          words ? hint(words) : [],
          EditorView.updateListener.of(({ state, transactions }) => {
            if (transactions.length > 0) setSteps((before) => sameOr(before, { undo: undoDepth(state) > 0, redo: redoDepth(state) > 0 }));
          }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((one) => one.annotation(given))) return;
            stored.current = edited(stored.current, splicesOf(update.changes));
            latest.current.onChange(stored.current);
          }),
        ],
      }),
    });
    stored.current = doc;
    setView(editor);
    if (takesFocus) editor.focus();
    return () => {
      setView(null);
      editor.destroy();
    };
  }, [place]);

  useEffect(() => {
    view?.dispatch({ effects: naming.current.reconfigure(named(label)) });
  }, [view, label]);

  useEffect(() => {
    view?.dispatch({ effects: looking.current.reconfigure(look(source)) });
  }, [view, source]);

  useEffect(() => {
    // The value changed from outside: replace only what differs, so the cursor keeps its position. Undo leaves it.
    if (!view || value === stored.current) return;
    stored.current = value;
    const changes = splicesTo(view.state.doc.toString(), value);
    if (changes.length > 0) view.dispatch({ changes, annotations: [Transaction.addToHistory.of(false), given.of(true)] });
  }, [view, value]);

  const chosen = (input: HTMLInputElement): void => {
    const files = [...(input.files ?? [])];
    input.value = "";
    if (view && attach && files.length > 0) void attachAll(view, files, view.state.selection.main.to, attach);
  };

  return (
    <div className={styles.frame}>
      <FormatBar view={view} steps={steps} source={source} onSource={onSource} onFile={attach && (() => chooser.current?.click())} assistance={assistance} onAsk={setAsked} />
      <div ref={host} className={styles.editor} data-look={source ? "source" : "live"} />
      {isSelected && view && createPortal(<SelectionBar view={view} assistance={assistance} onAsk={setAsked} />, place)}
      <input ref={chooser} type="file" hidden multiple onChange={(event) => chosen(event.currentTarget)} />
      {asked && view && (
        <Suspense>
          <Assistance asked={asked} view={view} onClose={() => setAsked(null)} />
        </Suspense>
      )}
    </div>
  );
}

/** The same object, so that nothing is drawn anew at each letter. */
const sameOr = (before: Steps, now: Steps): Steps => (before.undo === now.undo && before.redo === now.redo ? before : now);

function named(label: string) {
  return EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocapitalize: "sentences", autocorrect: "on" });
}

function placeOfBar(): HTMLElement {
  const place = document.createElement("div");
  place.className = bar.place ?? "";
  return place;
}

const barOf = ({ dom }: EditorView): DOMRect | undefined => dom.closest(`.${styles.frame}`)?.querySelector("[role=toolbar]")?.getBoundingClientRect();

/** What floats over the text leaves out the toolbar, which stays in sight when the text is scrolled. */
function besideBar(view: EditorView) {
  const bar = barOf(view);
  const { clientWidth: right, clientHeight: bottom } = document.documentElement;
  if (!bar) return { left: 0, right, top: 0, bottom };
  return bar.top < bottom / 2 ? { left: 0, right, top: bar.bottom, bottom } : { left: 0, right, top: 0, bottom: bar.top };
}

/** What lies between the toolbar and the edge of the page. */
const ABOVE_BAR = 36;

/** The cursor isn't scrolled under the toolbar. */
function clearOfBar(view: EditorView) {
  const bar = barOf(view);
  const isOver = bar && bar.top < document.documentElement.clientHeight / 2 && view.scrollDOM.getBoundingClientRect().top < bar.top;
  return isOver ? { top: bar.height + ABOVE_BAR } : null;
}
