/** Splits a streamed text into sentences for screen readers. */

const END = /[.!?…:;](?=["'”’)\]]*\s)|\n/g;

/** The length of the complete sentences. */
export function wholeSentences(text: string): number {
  const last = [...text.matchAll(END)].at(-1);
  return last ? last.index + 1 : 0;
}
