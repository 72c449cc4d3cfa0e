/** For screen readers: a growing text is read out sentence by sentence, not word by word. */

const END = /[.!?…:;](?=["'”’)\]]*\s)|\n/g;

/** The length of the part that consists of whole sentences. */
export function wholeSentences(text: string): number {
  const last = [...text.matchAll(END)].at(-1);
  return last ? last.index + 1 : 0;
}
