/** `@` in a prompt: the words after it are searched for, and replaced by what is chosen. */

export interface Mention {
  /** Where the sign is. */
  start: number;
  end: number;
  words: string;
}

/** Words of a name, not the rest of a text. */
const LONGEST = 60;

/** The mention that the caret is in; undefined in an email address, and after a line break or two spaces. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|[\s(])@([^\n@]*)$/.exec(text.slice(0, caret));
  const words = found?.[1];
  if (words === undefined || words.length > LONGEST || /^\s|\s{2}/.test(words)) return undefined;
  return { start: caret - words.length - 1, end: caret, words: words.trim() };
}

export function withoutMention(text: string, { start, end }: Mention): string {
  const after = text.slice(end).replace(/^ /, "");
  return text.slice(0, start) + after;
}
