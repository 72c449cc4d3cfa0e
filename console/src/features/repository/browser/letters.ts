/** Letters typed in a list go to the next name that begins with them. */

/** After this pause, letters begin a new name. */
const PAUSE_MS = 900;
const LETTER = /^[\p{L}\p{M}\p{N}._-]$/u;

export class Letters {
  private typed = "";
  private last = -Infinity;

  /** Whether a name is being typed, so that a space belongs to it. */
  isTyping(at: number): boolean {
    return this.typed !== "" && at - this.last < PAUSE_MS;
  }

  /** What has been typed with this key; undefined if it is no letter. */
  add(key: string, at: number): string | undefined {
    const isTyping = this.isTyping(at);
    if (!LETTER.test(key) && !(key === " " && isTyping)) return undefined;
    this.typed = (isTyping ? this.typed : "") + key.toLocaleLowerCase();
    this.last = at;
    return this.typed;
  }
}

/** Index of the next name that begins so, from one on; one letter again and again walks through those that begin with it. */
export function found(names: readonly string[], typed: string, from: number): number | undefined {
  const [first = ""] = typed;
  const isSame = [...typed].every((letter) => letter === first);
  const begins = isSame ? first : typed;
  const start = isSame ? from + 1 : from;
  for (let step = 0; step < names.length; step++) {
    const place = (start + step) % names.length;
    if (names[place]?.toLocaleLowerCase().startsWith(begins)) return place;
  }
  return undefined;
}
