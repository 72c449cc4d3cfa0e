/** Names for copies. */

const LONGEST_EXTENSION = 12;

/** `report (2).pdf`, next to `report.pdf`. */
export function beside(key: string, number: number): string {
  const cut = key.lastIndexOf("/") + 1;
  const name = key.slice(cut);
  const dot = name.lastIndexOf(".");
  const hasExtension = dot > 0 && name.length - dot <= LONGEST_EXTENSION;
  const [stem, extension] = hasExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  return `${key.slice(0, cut)}${stem} (${number})${extension}`;
}
