/** Ticking a task changes exactly one letter of its text. */

/** The text with the task at a place ticked or not any more; undefined if there's no task. */
export function ticked(text: string, at: number): string | undefined {
  const found = /^(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\](?=\s|$)/.exec(text.slice(at, at + 200));
  if (!found) return undefined;
  const sign = at + found[0].length - 2;
  return text.slice(0, sign) + (found[1] === " " ? "x" : " ") + text.slice(sign + 1);
}

interface Node {
  type: string;
  checked?: boolean | null;
  position?: { start: { offset?: number } };
  children?: Node[];
  data?: { hProperties?: Record<string, unknown> };
}

/** Gives every task its place, for whoever ticks it. */
export function taskPlaces() {
  return function visit(node: Node): void {
    if (node.type === "listItem" && typeof node.checked === "boolean") {
      node.data = { ...node.data, hProperties: { ...node.data?.hProperties, "data-task": node.position?.start.offset } };
    }
    node.children?.forEach(visit);
  };
}
