/** Turns the marks around changed words into `ins` and `del`. */

import type { Element, ElementContent, Root, RootContent, Text } from "hast";

import { MARKS } from "./rendered";

const RUN = new RegExp(`${MARKS.added[0]}([^${MARKS.added[1]}]*)${MARKS.added[1]}|${MARKS.removed[0]}([^${MARKS.removed[1]}]*)${MARKS.removed[1]}`, "g");

export function changed() {
  return (tree: Root): void => {
    tree.children = tree.children.flatMap((node) => visited(node) as RootContent[]);
  };
}

function visited(node: RootContent | ElementContent): (RootContent | ElementContent)[] {
  if (node.type === "text") return split(node);
  if (node.type === "element") node.children = node.children.flatMap((child) => visited(child) as ElementContent[]);
  return [node];
}

function split({ value }: Text): ElementContent[] {
  const nodes: ElementContent[] = [];
  let done = 0;
  for (const run of value.matchAll(RUN)) {
    if (run.index > done) nodes.push({ type: "text", value: value.slice(done, run.index) });
    nodes.push(element(run[1] === undefined ? "del" : "ins", run[1] ?? run[2] ?? ""));
    done = run.index + run[0].length;
  }
  return [...nodes, ...(done < value.length ? [{ type: "text" as const, value: value.slice(done) }] : [])];
}

const element = (tagName: string, value: string): Element => ({ type: "element", tagName, properties: {}, children: [{ type: "text", value }] });
