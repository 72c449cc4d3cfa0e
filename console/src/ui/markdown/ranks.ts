/** Heading levels: the page has the h1, so headings in a text start at h2, whatever level the author used first. */

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
