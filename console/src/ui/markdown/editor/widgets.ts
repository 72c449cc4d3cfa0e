/** What stands in place of Markdown's marks while they aren't edited. */

import { EditorView, WidgetType } from "@codemirror/view";

import { t } from "@/i18n";

import { forgetPicture, pictureOf } from "../pictures";
import styles from "./Live.module.css";

function made(tag: string, className = ""): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  return element;
}

export class Bullet extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    const element = made("span", styles.bullet);
    element.textContent = "•";
    return element;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

export class Rule extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    return made("span", styles.rule);
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** The letter between the brackets of a task; undefined if there's no task. */
export function tickAt(view: EditorView, at: number): { from: number; done: boolean } | undefined {
  const line = view.state.doc.lineAt(at);
  const found = /^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*\[([ xX])\]/.exec(line.text);
  return found ? { from: line.from + found[0].length - 2, done: found[1] !== " " } : undefined;
}

/** Changes exactly one letter. */
export function toggleTask(view: EditorView, at = view.state.selection.main.head): boolean {
  const tick = tickAt(view, at);
  if (!tick) return false;
  view.dispatch({ changes: { from: tick.from, to: tick.from + 1, insert: tick.done ? " " : "x" }, userEvent: "input.task" });
  return true;
}

export class Tick extends WidgetType {
  constructor(readonly done: boolean) {
    super();
  }
  override eq(other: Tick): boolean {
    return other.done === this.done;
  }
  override toDOM(view: EditorView): HTMLElement {
    const holder = made("span", styles.tick);
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.done;
    box.tabIndex = -1;
    box.setAttribute("aria-label", t(this.done ? "markdown.done" : "markdown.open"));
    // The place is asked for when it's needed: text before it may have changed since.
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("click", (event) => {
      event.preventDefault();
      if (!view.state.readOnly) toggleTask(view, view.posAtDOM(holder));
    });
    holder.append(box);
    return holder;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

export class CodeLabel extends WidgetType {
  constructor(readonly language: string) {
    super();
  }
  override eq(other: CodeLabel): boolean {
    return other.language === this.language;
  }
  override toDOM(): HTMLElement {
    const element = made("span", styles.label);
    element.textContent = this.language || t("markdown.code");
    return element;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** An image of an own file; its words while it loads, and if it isn't one. */
export class Picture extends WidgetType {
  constructor(readonly id: string, readonly words: string) {
    super();
  }
  override eq(other: Picture): boolean {
    return other.id === this.id && other.words === this.words;
  }
  override toDOM(view: EditorView): HTMLElement {
    const holder = made("span", styles.picture);
    const words = t("markdown.picture", { words: this.words });
    holder.textContent = words;
    const show = async (tries: number): Promise<void> => {
      const address = await pictureOf(this.id);
      if (address === null) return;
      const image = document.createElement("img");
      image.alt = this.words;
      image.addEventListener("load", () => view.requestMeasure());
      image.addEventListener("error", () => {
        forgetPicture(this.id);
        holder.textContent = words;
        if (tries > 1) void show(tries - 1);
      });
      image.src = address;
      holder.replaceChildren(image);
    };
    // An address may have ended before the image was loaded.
    void show(2);
    return holder;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** An image from elsewhere is only named: showing a text fetches nothing. */
export class Named extends WidgetType {
  constructor(readonly words: string) {
    super();
  }
  override eq(other: Named): boolean {
    return other.words === this.words;
  }
  override toDOM(): HTMLElement {
    const element = made("span", styles.named);
    element.textContent = t("markdown.picture", { words: this.words });
    return element;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

export class Maths extends WidgetType {
  constructor(readonly source: string, readonly display: boolean) {
    super();
  }
  override eq(other: Maths): boolean {
    return other.source === this.source && other.display === this.display;
  }
  override toDOM(view: EditorView): HTMLElement {
    const holder = made("span", this.display ? styles.display : styles.maths);
    holder.textContent = this.source;
    void import("../typeset").then(({ default: typeset }) => {
      try {
        holder.replaceChildren(typeset(this.source, this.display));
        view.requestMeasure();
      } catch {
        holder.className = styles.unset ?? "";
      }
    }, () => undefined);
    return holder;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}
