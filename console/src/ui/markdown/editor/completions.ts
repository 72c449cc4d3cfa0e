/** What is offered while typing: `/` at the beginning of a line, `[[` for pages and files, `@` for people. */

import { autocompletion, pickedCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

import { t } from "@/i18n";

import { codeBlock, heading, list, quote, rule, table, type Run } from "./commands";
import styles from "./Completions.module.css";

/** Something that a link can lead to. */
export interface Target {
  address: string;
  title: string;
  detail: string;
}

export interface Sources {
  /** Pages and files by their words; the newest without any. */
  pages: (words: string) => Promise<Target[]>;
  people: () => Promise<Target[]>;
  /** Asks for a file to upload; undefined where none can be. */
  file?: () => void;
}

interface Entry {
  key: string;
  label: string;
  hint: string;
  run: Run;
}

const entriesOf = ({ file }: Sources): Entry[] => [
  { key: "heading1", label: t("markdown.menu.heading1"), hint: "#", run: heading(1) },
  { key: "heading2", label: t("markdown.menu.heading2"), hint: "##", run: heading(2) },
  { key: "heading3", label: t("markdown.menu.heading3"), hint: "###", run: heading(3) },
  { key: "bullet", label: t("markdown.menu.bullet"), hint: "-", run: list("bullet") },
  { key: "number", label: t("markdown.menu.number"), hint: "1.", run: list("number") },
  { key: "task", label: t("markdown.menu.task"), hint: "- [ ]", run: list("task") },
  { key: "table", label: t("markdown.menu.table"), hint: "| |", run: table },
  { key: "code", label: t("markdown.menu.code"), hint: "```", run: codeBlock },
  { key: "quote", label: t("markdown.menu.quote"), hint: ">", run: quote },
  { key: "rule", label: t("markdown.menu.rule"), hint: "---", run: rule },
  { key: "page", label: t("markdown.menu.page"), hint: "[[", run: startLink },
  ...(file ? [{ key: "file", label: t("markdown.menu.file"), hint: "", run: () => (file(), true) }] : []),
];

function startLink(view: EditorView): boolean {
  const { head } = view.state.selection.main;
  view.dispatch({ changes: { from: head, insert: "[[" }, selection: { anchor: head + 2 }, userEvent: "input.type" });
  return true;
}

function isCode({ state, pos }: CompletionContext): boolean {
  for (let node = syntaxTree(state).resolveInner(pos, -1); node.parent; node = node.parent) if (/Code|URL/.test(node.name)) return true;
  return false;
}

const slash = (sources: Sources) => (context: CompletionContext): CompletionResult | null => {
  const line = context.state.doc.lineAt(context.pos);
  const typed = /^\s*\/([\p{L}\d ]{0,24})$/u.exec(line.text.slice(0, context.pos - line.from));
  if (!typed || isCode(context)) return null;
  const from = context.pos - (typed[1]?.length ?? 0);
  return {
    from,
    options: entriesOf(sources).map(({ label, hint, run }, place) => ({ label, detail: hint, boost: -place, apply: applying(run) })),
    validFor: /^[\p{L}\d ]*$/u,
  };
};

/** The slash and the words after it go, before the entry does its work. */
const applying = (run: Run) => (view: EditorView, completion: Completion, from: number, to: number): void => {
  view.dispatch({ changes: { from: from - 1, to }, annotations: pickedCompletion.of(completion), userEvent: "input.complete" });
  run(view);
};

/** Brackets in a title would end the words of a link. */
export const linkOf = ({ title, address }: Target, sign = ""): string => `[${sign}${title.replace(/[[\]\\]/g, "\\$&").replace(/\s+/g, " ")}](${address})`;

const linking = (target: Target, lead: number, sign = "") => (view: EditorView, completion: Completion, from: number, to: number): void => {
  const insert = linkOf(target, sign);
  const start = from - lead;
  // The brackets that some keyboards close by themselves.
  const end = view.state.sliceDoc(to, to + 2) === "]]" ? to + 2 : to;
  view.dispatch({
    changes: { from: start, to: end, insert },
    selection: { anchor: start + insert.length },
    annotations: pickedCompletion.of(completion),
    userEvent: "input.complete",
  });
};

const optionOf = (target: Target, lead: number, sign = ""): Completion => ({ label: target.title || target.address, detail: target.detail, apply: linking(target, lead, sign) });

const pages = (sources: Sources) => async (context: CompletionContext): Promise<CompletionResult | null> => {
  const typed = context.matchBefore(/\[\[[^[\]\n]{0,60}/);
  if (!typed || isCode(context)) return null;
  const words = typed.text.slice(2).trim();
  const found = await sources.pages(words).catch(() => []);
  if (context.aborted) return null;
  return { from: typed.from + 2, options: found.map((target) => optionOf(target, 2)), filter: false };
};

const people = (sources: Sources) => async (context: CompletionContext): Promise<CompletionResult | null> => {
  const typed = context.matchBefore(/(?:^|[\s(])@[\p{L}\d .'-]{0,40}/u);
  if (!typed || isCode(context)) return null;
  const sign = typed.from + typed.text.indexOf("@");
  const found = await sources.people().catch(() => []);
  if (context.aborted) return null;
  return { from: sign + 1, options: found.map((target) => optionOf(target, 1, "@")), validFor: /^[\p{L}\d .'-]{0,40}$/u };
};

export function completions(sources: () => Sources): Extension {
  const named = EditorState.phrases.of({ Completions: t("markdown.menu") });
  const offered = autocompletion({
    override: [(context) => slash(sources())(context), (context) => pages(sources())(context), (context) => people(sources())(context)],
    icons: false,
    activateOnTypingDelay: 120,
    // As many as fit without scrolling: further letters find the others.
    maxRenderedOptions: 12,
    tooltipClass: () => styles.list ?? "",
  });
  return [named, offered];
}
