/** Collects the decorations of the lines that are seen. */

import type { EditorState, Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type WidgetType } from "@codemirror/view";

import { touches } from "./touch";

/** More than any screen shows; a text made of nothing but marks is shown as it is beyond. */
const MOST = 20_000;

const HIDDEN = Decoration.replace({});
const marks = new Map<string, Decoration>();
const lines = new Map<string, Decoration>();

function once(known: Map<string, Decoration>, key: string, make: () => Decoration): Decoration {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

export class Drawing {
  readonly #found: Range<Decoration>[] = [];
  readonly #lines = new Map<number, Set<string>>();
  /** Steps taken, for the test that bounds them. */
  steps = 0;

  constructor(readonly state: EditorState, readonly from: number, readonly to: number, readonly focused: boolean) {}

  /** Marks are shown where the cursor is; without focus, nowhere. */
  touched(from: number, to: number): boolean {
    return this.focused && touches(this.state, from, to);
  }

  /** An editor refuses replacements across line breaks that are made for what it shows. */
  isInLine(from: number, to: number): boolean {
    return to <= this.state.doc.lineAt(from).to;
  }

  get full(): boolean {
    return this.#found.length >= MOST;
  }

  mark(from: number, to: number, className = ""): void {
    if (to > from) this.#found.push(once(marks, className, () => Decoration.mark({ class: className })).range(from, to));
  }

  link(from: number, to: number, className: string, address: string): void {
    if (to > from) this.#found.push(Decoration.mark({ class: className, attributes: { "data-href": address } }).range(from, to));
  }

  hide(from: number, to: number): void {
    if (to > from) this.#found.push(HIDDEN.range(from, to));
  }

  replace(from: number, to: number, widget: WidgetType): void {
    this.#found.push(Decoration.replace({ widget }).range(from, to));
  }

  line(at: number, className = ""): void {
    const known = this.#lines.get(at) ?? new Set();
    this.#lines.set(at, known.add(className));
  }

  /** Calls back for the lines of a range that are seen. */
  eachLine(from: number, to: number, call: (line: { from: number; to: number; text: string }) => void): void {
    const end = Math.min(to, this.to);
    for (let at = Math.max(from, this.from); at <= end; ) {
      const line = this.state.doc.lineAt(at);
      this.steps += 1;
      call(line);
      at = line.to + 1;
    }
  }

  finish(): Range<Decoration>[] {
    const ofLines = [...this.#lines].map(([at, names]) => {
      const key = [...names].sort().join(" ");
      return once(lines, key, () => Decoration.line({ class: key })).range(at);
    });
    return [...ofLines, ...this.#found];
  }
}

export const drawn = (found: Range<Decoration>[]): DecorationSet => Decoration.set(found, true);
