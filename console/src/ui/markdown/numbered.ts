/**
 * Numbers in brackets within a text as elements of their own: those that stand for something. The server writes an
 * invisible separator before the number, which no model can write: a plain `[2]` is a text like any other.
 */

interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hName: string };
}

const NUMBER = /\[\u2063(\d{1,4})\]/g;

export function numbered(numbers: ReadonlySet<number> = new Set()) {
  return (tree: Node): void => {
    if (numbers.size > 0) visit(tree, numbers);
  };
}

function visit(node: Node, numbers: ReadonlySet<number>): void {
  // A button can't be inside of a link.
  if (!node.children || node.type === "link" || node.type === "linkReference") return;
  node.children = node.children.flatMap((child) => (child.type === "text" ? split(child.value ?? "", numbers) : [child]));
  node.children.forEach((child) => visit(child, numbers));
}

export function split(text: string, numbers: ReadonlySet<number>): Node[] {
  const nodes: Node[] = [];
  let from = 0;
  const say = (value: string): void => void (value && nodes.push({ type: "text", value }));
  for (const found of text.matchAll(NUMBER)) {
    if (!numbers.has(Number(found[1]))) continue;
    say(text.slice(from, found.index));
    nodes.push({ type: "citation", data: { hName: "cite" }, children: [{ type: "text", value: found[1] }] });
    from = found.index + found[0].length;
  }
  say(text.slice(from));
  return nodes;
}
