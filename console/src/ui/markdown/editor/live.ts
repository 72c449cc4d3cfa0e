/**
 * Shows Markdown as formatted text. The text itself is never changed by it: marks are only hidden, and shown again where the
 * cursor is. Only what is on the screen is looked at.
 */

import { syntaxTree } from "@codemirror/language";
import { StateEffect, type EditorState, type Range } from "@codemirror/state";
import { EditorView, ViewPlugin, type Decoration, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";

import { ownPlace } from "../addresses";
import { tableRanges } from "./blocks";
import { coloursOf, loadColours } from "./colours";
import { drawn, Drawing } from "./drawing";
import { drawFormulas } from "./formulas";
import styles from "./Live.module.css";
import { Bullet, CodeLabel, Named, Picture, Rule, Tick } from "./widgets";

export interface Span {
  from: number;
  to: number;
}

/** Something that a drawing needs has been loaded. */
const redraw = StateEffect.define<null>();

const HEADING = /^(?:ATX|Setext)Heading([1-6])$/;
const DEPTHS = 8;
/** As in the reading view. */
const LONGEST_CODE = 20_000;
const INLINE: Record<string, string | undefined> = {
  StrongEmphasis: styles.strong,
  Emphasis: styles.emphasis,
  Strikethrough: styles.struck,
  InlineCode: styles.code,
};
const MUTED = new Set(["HTMLBlock", "HTMLTag", "Comment", "CommentBlock", "ProcessingInstruction", "LinkReference", "Entity"]);
const BULLET = new Bullet();
const RULE = new Rule();

interface Place {
  lists: number;
  quotes: number;
}

type Draw = (drawing: Drawing, node: SyntaxNode, place: Place) => void;

/** Text lines have no address: everything is looked up in the syntax tree. */
export function decorationsIn(state: EditorState, spans: readonly Span[], focused: boolean): { found: Range<Decoration>[]; steps: number; wantsColours: boolean } {
  const found: Range<Decoration>[] = [];
  let steps = 0;
  let wantsColours = false;
  const tables = tableRanges(state);
  for (const { from, to } of spans) {
    const drawing = new Drawing(state, from, to, focused);
    const place = { lists: 0, quotes: 0 };
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        steps += 1;
        if (drawing.full) return false;
        if (node.name === "BulletList" || node.name === "OrderedList") place.lists += 1;
        if (node.name === "Blockquote") place.quotes += 1;
        if (node.name === "Table" && tables.has(node.from)) return false;
        if (node.name === "FencedCode") wantsColours ||= !drawCode(drawing, node.node);
        return draw(drawing, node, place);
      },
      leave: (node) => {
        if (node.name === "BulletList" || node.name === "OrderedList") place.lists -= 1;
        if (node.name === "Blockquote") place.quotes -= 1;
      },
    });
    drawFormulas(drawing);
    steps += drawing.steps;
    found.push(...drawing.finish());
  }
  return { found, steps, wantsColours };
}

/** False if there's nothing to draw within. */
function draw(drawing: Drawing, { name, node, from, to }: SyntaxNodeRef, place: Place): boolean {
  const inline = INLINE[name];
  if (inline !== undefined) drawInline(drawing, node, inline);
  else if (MUTED.has(name)) drawing.mark(Math.max(from, drawing.from), Math.min(to, drawing.to), styles.mark);
  else if (name === "Table") drawing.eachLine(from, to, (line) => drawing.line(line.from, styles.raw));
  else (DRAWN[name] ?? (HEADING.test(name) ? drawHeading : undefined))?.(drawing, node, place);
  return name !== "FencedCode" && name !== "Image";
}

const DRAWN: Record<string, Draw | undefined> = {
  Blockquote: (drawing, node, { quotes }) => drawing.eachLine(node.from, node.to, (line) => drawing.line(line.from, quotes > 1 ? styles.quoted : styles.quote)),
  QuoteMark: (drawing, node) => {
    const line = drawing.state.doc.lineAt(node.from);
    const end = drawing.state.sliceDoc(node.to, node.to + 1) === " " ? node.to + 1 : node.to;
    if (drawing.touched(line.from, line.to)) drawing.mark(node.from, node.to, styles.mark);
    else drawing.hide(node.from, end);
  },
  HorizontalRule: (drawing, node) => {
    if (drawing.touched(node.from, node.to)) drawing.mark(node.from, node.to, styles.mark);
    else drawing.replace(node.from, node.to, RULE);
  },
  ListItem: drawItem,
  Link: drawLink,
  Image: drawImage,
  Autolink: (drawing, node) => {
    const url = node.getChild("URL");
    if (!url || drawing.touched(node.from, node.to)) return;
    drawing.hide(node.from, url.from);
    drawing.hide(url.to, node.to);
  },
  URL: (drawing, node) => {
    const within = node.parent?.name ?? "";
    if (!["Link", "Image", "LinkReference"].includes(within)) drawing.link(node.from, node.to, styles.link ?? "", drawing.state.sliceDoc(node.from, Math.min(node.to, node.from + 2_000)));
  },
  Escape: (drawing, node) => {
    if (!drawing.touched(node.from, node.to)) drawing.hide(node.from, node.from + 1);
  },
  CodeBlock: (drawing, node) => drawing.eachLine(node.from, node.to, (line) => drawing.line(line.from, styles.block)),
};

function drawHeading(drawing: Drawing, node: SyntaxNode): void {
  const rank = Number(HEADING.exec(node.name)?.[1]);
  const names = [styles.first, styles.second, styles.third, styles.fourth, styles.fourth, styles.fourth];
  drawing.eachLine(node.from, node.to, (line) => drawing.line(line.from, names[rank - 1]));
  const shown = drawing.touched(node.from, node.to);
  for (const mark of node.getChildren("HeaderMark")) {
    const isFirst = mark.from === node.from;
    const end = isFirst && drawing.state.sliceDoc(mark.to, mark.to + 1) === " " ? mark.to + 1 : mark.to;
    // A mark without words has nothing to hide behind.
    if (shown || node.name.startsWith("Setext") || end >= node.to) drawing.mark(mark.from, mark.to, styles.mark);
    else drawing.hide(mark.from, end);
  }
}

function drawInline(drawing: Drawing, node: SyntaxNode, className: string): void {
  drawing.mark(node.from, node.to, className);
  const [first, last] = [node.firstChild, node.lastChild];
  if (!first?.name.endsWith("Mark") || !last?.name.endsWith("Mark") || first.from === last.from) return;
  const shown = drawing.touched(node.from, node.to);
  for (const mark of [first, last]) {
    if (shown) drawing.mark(mark.from, mark.to, styles.mark);
    else drawing.hide(mark.from, mark.to);
  }
}

function drawItem(drawing: Drawing, node: SyntaxNode, { lists }: Place): void {
  const mark = node.firstChild;
  if (mark?.name !== "ListMark") return;
  const { doc } = drawing.state;
  const first = doc.lineAt(mark.from);
  const depth = styles[`depth${Math.min(lists, DEPTHS)}`];
  const column = mark.to + 1 - first.from;
  drawing.eachLine(node.from, node.to, (line) => {
    drawing.line(line.from, depth);
    if (line.from === first.from) return;
    const blanks = /^\s*/.exec(line.text.slice(0, column))?.[0].length ?? 0;
    if (!drawing.touched(line.from, line.from + blanks)) drawing.hide(line.from, line.from + blanks);
  });
  if (mark.from < drawing.from || mark.from > drawing.to) return;
  drawListMark(drawing, node, mark, first);
}

function drawListMark(drawing: Drawing, node: SyntaxNode, mark: SyntaxNode, line: Span & { text: string }): void {
  const before = line.text.slice(0, mark.from - line.from);
  const blanks = before.length - before.trimEnd().length;
  if (!drawing.touched(line.from, mark.from - 1)) drawing.hide(mark.from - blanks, mark.from);
  const past = (at: number): number => (/\s/.test(line.text[at - line.from] ?? "") ? at + 1 : at);
  const task = mark.nextSibling?.name === "Task" ? mark.nextSibling.firstChild : null;
  if (task) {
    const done = drawing.state.sliceDoc(task.from + 1, task.from + 2) !== " ";
    if (drawing.touched(mark.from, task.to)) drawing.mark(mark.from, past(task.to), styles.number);
    else drawing.replace(mark.from, past(task.to), new Tick(done));
    if (done) drawing.mark(past(task.to), Math.min(line.to, node.to), styles.done);
    return;
  }
  const isBullet = node.parent?.name === "BulletList";
  if (isBullet && !drawing.touched(mark.from, mark.to)) drawing.replace(mark.from, past(mark.to), BULLET);
  else drawing.mark(mark.from, past(mark.to), styles.number);
}

function drawLink(drawing: Drawing, node: SyntaxNode): void {
  const url = node.getChild("URL");
  const close = node.getChildren("LinkMark")[1];
  if (!url || !close || close.from <= node.from + 1) return;
  const address = drawing.state.sliceDoc(url.from, Math.min(url.to, url.from + 2_000));
  const className = ownPlace(address)?.kind === "people" ? styles.mention : styles.link;
  drawing.link(node.from + 1, close.from, className ?? "", address);
  if (drawing.touched(node.from, node.to) || !drawing.isInLine(close.from, node.to)) {
    drawing.mark(node.from, node.from + 1, styles.mark);
    drawing.mark(close.from, node.to, styles.mark);
  } else {
    drawing.hide(node.from, node.from + 1);
    drawing.hide(close.from, node.to);
  }
}

function drawImage(drawing: Drawing, node: SyntaxNode): void {
  const url = node.getChild("URL");
  const close = node.getChildren("LinkMark")[1];
  if (!url || !close) return;
  if (drawing.touched(node.from, node.to)) {
    drawing.mark(node.from, node.to, styles.mark);
    return;
  }
  const { state } = drawing;
  if (!drawing.isInLine(node.from, node.to)) return;
  const place = ownPlace(state.sliceDoc(url.from, url.to));
  const words = state.sliceDoc(node.from + 2, close.from);
  drawing.replace(node.from, node.to, place?.kind === "files" ? new Picture(place.id, words) : new Named(words || state.sliceDoc(url.from, url.to)));
}

/** False while the colours of its language aren't loaded. */
function drawCode(drawing: Drawing, node: SyntaxNode): boolean {
  const { state } = drawing;
  // Neighbours only: in a quote, a long code has as many parts as lines.
  const open = node.firstChild;
  const info = open?.nextSibling?.name === "CodeInfo" ? open.nextSibling : undefined;
  const text = (info ?? open)?.nextSibling;
  const close = node.lastChild?.name === "CodeMark" && node.lastChild.from > node.from ? node.lastChild : undefined;
  const language = (info ? state.sliceDoc(info.from, Math.min(info.to, info.from + 40)) : "").split(/\s/)[0]?.toLowerCase() ?? "";
  drawing.eachLine(node.from, node.to, (line) => drawing.line(line.from, styles.block));
  const first = state.doc.lineAt(node.from);
  const last = state.doc.lineAt(node.to);
  if (first.from >= drawing.from) drawing.line(first.from, styles.opens);
  if (last.from <= drawing.to) drawing.line(last.from, styles.closes);
  if (open && first.from >= drawing.from) {
    if (drawing.touched(node.from, node.to)) drawing.mark(open.from, first.to, styles.mark);
    else drawing.replace(open.from, first.to, new CodeLabel(language));
  }
  if (close && close.from <= drawing.to) {
    if (drawing.touched(node.from, node.to)) drawing.mark(close.from, close.to, styles.mark);
    else drawing.hide(close.from, close.to);
  }
  // In a quote, every line is a text of its own: it stays plain.
  const isWhole = text?.name === "CodeText" && (!text.nextSibling || text.nextSibling.from === close?.from);
  if (!language || !isWhole || text.to - text.from > LONGEST_CODE) return true;
  const tones = coloursOf(state.sliceDoc(text.from, text.to), language);
  for (const { from, to, tone } of tones ?? []) {
    const [start, end] = [text.from + from, text.from + to];
    if (end > drawing.from && start < drawing.to) drawing.mark(start, end, tone);
  }
  return tones !== undefined;
}

class Live {
  decorations: DecorationSet;
  /** A text that was only opened shows no marks, wherever its cursor is. */
  #isUsed = false;

  constructor(view: EditorView) {
    this.decorations = this.#draw(view);
  }

  update(update: ViewUpdate): void {
    const { docChanged, viewportChanged, selectionSet, focusChanged, startState, state, transactions } = update;
    this.#isUsed ||= docChanged || selectionSet;
    const isNew = docChanged || viewportChanged || selectionSet || focusChanged || syntaxTree(startState) !== syntaxTree(state);
    if (isNew || tableRanges(startState) !== tableRanges(state) || transactions.some(({ effects }) => effects.some((effect) => effect.is(redraw)))) {
      this.decorations = this.#draw(update.view);
    }
  }

  #draw(view: EditorView): DecorationSet {
    const { found, wantsColours } = decorationsIn(view.state, view.visibleRanges, this.#isUsed && view.hasFocus);
    if (wantsColours) void loadColours().then(() => view.dom.isConnected && view.dispatch({ effects: redraw.of(null) }));
    return drawn(found);
  }
}

export const live = ViewPlugin.fromClass(Live, { decorations: (plugin) => plugin.decorations });
