/** Headings in their order: the page has the first, those of a text begin one below it, whatever their author began with. */

interface Node {
  type: string;
  depth?: number;
  children?: Node[];
  data?: { hName?: string };
}

const FIRST = 2;
const LAST = 6;

export function ranks() {
  return (tree: Node): void => {
    const found = headings(tree);
    const least = Math.min(...found.map((heading) => heading.depth ?? 1));
    for (const heading of found) {
      const rank = Math.min((heading.depth ?? 1) - least + FIRST, LAST);
      heading.data = { ...heading.data, hName: `h${rank}` };
    }
  };
}

const headings = (node: Node): Node[] => [
  ...(node.type === "heading" ? [node] : []),
  ...(node.children ?? []).flatMap(headings),
];
