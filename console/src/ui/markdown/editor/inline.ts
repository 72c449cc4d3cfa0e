/** Formatted text of one line as elements, for cells of a table. */

import type { SyntaxNode } from "@lezer/common";

import { ownPlace, safeAddress } from "../addresses";
import { language, LONGEST_PARAGRAPH } from "./language";

const TAGS: Record<string, string> = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", InlineCode: "code" };
const HIDDEN = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "LinkMark", "URL", "LinkTitle"]);

/** As text if it's too long to be formatted. */
export function formatted(text: string): Node[] {
  if (text.length > LONGEST_PARAGRAPH || !/[*_~`[\\<]/.test(text)) return [document.createTextNode(text)];
  const paragraph = language.parser.parse(text).topNode.firstChild;
  return paragraph?.name === "Paragraph" && paragraph.to === text.length ? childrenOf(paragraph, text) : [document.createTextNode(text)];
}

function childrenOf(node: SyntaxNode, text: string, from = node.from, to = node.to): Node[] {
  const made: Node[] = [];
  let at = from;
  const say = (end: number): void => void (end > at && made.push(document.createTextNode(text.slice(at, end))));
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.from < at || child.to > to) continue;
    say(child.from);
    at = child.to;
    made.push(...elementsOf(child, text));
  }
  say(to);
  return made;
}

function elementsOf(node: SyntaxNode, text: string): Node[] {
  const tag = TAGS[node.name];
  if (tag) return [filled(document.createElement(tag), childrenOf(node, text))];
  if (node.name === "Link") return [linkOf(node, text)];
  if (node.name === "Escape") return [document.createTextNode(text.slice(node.from + 1, node.to))];
  return HIDDEN.has(node.name) && node.parent?.name !== "Paragraph" ? [] : [document.createTextNode(text.slice(node.from, node.to))];
}

function linkOf(node: SyntaxNode, text: string): Node {
  const url = node.getChild("URL");
  const marks = node.getChildren("LinkMark");
  const end = marks[1];
  if (!url || !end) return document.createTextNode(text.slice(node.from, node.to));
  const address = text.slice(url.from, url.to);
  const link = filled(document.createElement("span"), childrenOf(node, text, node.from + 1, end.from));
  if (ownPlace(address) ?? safeAddress(address)) link.dataset.href = address;
  return link;
}

function filled<Made extends HTMLElement>(element: Made, children: Node[]): Made {
  element.append(...children);
  return element;
}
