/** Names of copies. */

const LONGEST_EXTENSION = 12;

/** The name without its extension. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 && name.length - dot <= LONGEST_EXTENSION ? name.slice(0, dot) : name;
}

/** `report (2).pdf`, next to `report.pdf`. */
export function beside(key: string, number: number): string {
  const cut = key.lastIndexOf("/") + 1;
  const name = key.slice(cut);
  const stem = stemOf(name);
  return `${key.slice(0, cut)}${stem} (${number})${name.slice(stem.length)}`;
}
