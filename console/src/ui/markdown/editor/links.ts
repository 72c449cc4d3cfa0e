/** Links in the editor: Ctrl or Cmd and a click opens one, Alt+Enter the one at the cursor; a card says where it leads. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

import { t } from "@/i18n";

import { safeAddress } from "../addresses";
import styles from "./Live.module.css";

export type Open = (address: string) => void;

interface Found {
  from: number;
  to: number;
  address: string;
}

export function linkAt(state: EditorState, at: number): Found | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, 1); node; node = node.parent) {
    const url = node.name === "URL" ? node : node.name === "Link" || node.name === "Autolink" ? node.getChild("URL") : null;
    if (!url) continue;
    const whole = node.name === "URL" && node.parent && ["Link", "Autolink"].includes(node.parent.name) ? node.parent : node;
    const address = safeAddress(state.sliceDoc(url.from, Math.min(url.to, url.from + 2_000)));
    return address ? { from: whole.from, to: whole.to, address } : undefined;
  }
  return undefined;
}

function cardOf(view: EditorView, { from, to, address }: Found, open: Open): HTMLElement {
  const card = document.createElement("div");
  card.className = styles.card ?? "";
  const where = document.createElement("span");
  where.textContent = address;
  const button = (label: string, run: () => void): HTMLElement => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("mousedown", (event) => event.preventDefault());
    made.addEventListener("click", run);
    return made;
  };
  const edit = (): void => {
    const start = view.state.sliceDoc(from, to).lastIndexOf(address);
    view.dispatch({ selection: start < 0 ? { anchor: from, head: to } : { anchor: from + start, head: from + start + address.length } });
    view.focus();
  };
  card.append(where, button(t("markdown.link.open"), () => open(address)), button(t("action.edit"), edit));
  return card;
}

export function links(open: Open): Extension {
  return [
    EditorView.domEventHandlers({
      mousedown(event) {
        const address = (event.target as HTMLElement).closest?.<HTMLElement>("[data-href]")?.dataset.href;
        const safe = address && (event.ctrlKey || event.metaKey) ? safeAddress(address) : undefined;
        if (!safe) return false;
        event.preventDefault();
        open(safe);
        return true;
      },
    }),
    keymap.of([
      {
        key: "Alt-Enter",
        run: ({ state }) => {
          const found = linkAt(state, state.selection.main.head);
          if (found) open(found.address);
          return found !== undefined;
        },
      },
    ]),
    hoverTooltip((view, at) => {
      const found = linkAt(view.state, at);
      return found ? { pos: found.from, end: found.to, above: true, create: () => ({ dom: cardOf(view, found, open) }) } : null;
    }),
  ];
}
