/** Parses a snippet (escaped text with marks) into parts, so that it never becomes markup. */

export interface Part {
  text: string;
  marked: boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };

export function partsOf(snippet: string): Part[] {
  return snippet
    .split(/(<mark>.*?<\/mark>)/s)
    .map((piece) => {
      const marked = /^<mark>(.*)<\/mark>$/s.exec(piece);
      return { text: plain(marked?.[1] ?? piece), marked: marked !== null };
    })
    .filter(({ text }) => text !== "");
}

function plain(escaped: string): string {
  return escaped.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}
