/** Sets a formula with KaTeX. Loaded when the first formula is shown. */

import katex, { type KatexOptions } from "katex";
import "katex/dist/katex.min.css";

/** What KaTeX builds before it makes elements. */
interface Node {
  attributes?: Record<string, string>;
  children?: Node[];
  toNode(): globalThis.Node;
}

type Builder = typeof katex & { __renderToDomTree(source: string, options: KatexOptions): Node };

/** No commands that name an address or a class, and no more expansion and size than a page has room for. */
const OPTIONS: KatexOptions = { throwOnError: true, trust: false, strict: "ignore", maxSize: 20, maxExpand: 500 };
const STYLE = "data-style";

/** Throws if it isn't a formula. */
export default function typeset(source: string, displayMode: boolean): globalThis.Node {
  const tree = (katex as Builder).__renderToDomTree(source, { ...OPTIONS, displayMode });
  withoutStyles(tree);
  const made = tree.toNode() as Element;
  for (const element of made.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE) ?? "";
    element.removeAttribute(STYLE);
  }
  return made;
}

/** The content security policy allows styles set by script, but not style attributes. */
function withoutStyles(node: Node): void {
  if (node.attributes?.style !== undefined) {
    node.attributes[STYLE] = node.attributes.style;
    delete node.attributes.style;
  }
  node.children?.forEach(withoutStyles);
}
