/** Reads JSON and remembers where each value stands, so that an error can be shown at its place. */

export interface Place {
  from: number;
  to: number;
}

export type Slip = "end" | "value" | "key" | "colon" | "comma" | "text" | "number" | "after" | "deep" | "long";

export type Read = { ok: true; value: unknown; places: ReadonlyMap<string, Place> } | { ok: false; slip: Slip; at: number };

/** More than the server takes. */
export const LONGEST = 256 * 1024;
const DEEPEST = 64;

export function readJson(text: string): Read {
  if (text.length > LONGEST) return { ok: false, slip: "long", at: LONGEST };
  const reader = new Reader(text);
  try {
    return { ok: true, value: reader.whole(), places: reader.places };
  } catch (fault) {
    if (fault instanceof Slipped) return { ok: false, slip: fault.slip, at: fault.at };
    throw fault;
  }
}

class Slipped extends Error {
  constructor(
    readonly slip: Slip,
    readonly at: number,
  ) {
    super(slip);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const TEXT = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS: Record<string, unknown> = { true: true, false: false, null: null };

class Reader {
  readonly places = new Map<string, Place>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value("", 0);
    if (this.#at < this.#text.length) throw new Slipped("after", this.#at);
    return value;
  }

  #value(pointer: string, depth: number, from?: number): unknown {
    this.#space();
    const start = this.#at;
    const value = this.#bare(pointer, depth);
    this.places.set(pointer, { from: from ?? start, to: this.#at });
    this.#space();
    return value;
  }

  #bare(pointer: string, depth: number): unknown {
    if (depth > DEEPEST) throw new Slipped("deep", this.#at);
    const letter = this.#text[this.#at];
    if (letter === undefined) throw new Slipped("end", this.#at);
    if (letter === "{") return this.#object(pointer, depth);
    if (letter === "[") return this.#array(pointer, depth);
    if (letter === '"') return this.#string();
    const word = Object.keys(WORDS).find((name) => this.#text.startsWith(name, this.#at));
    if (word !== undefined) {
      this.#at += word.length;
      return WORDS[word];
    }
    const digits = this.#match(NUMBER);
    if (!digits) throw new Slipped(letter === "-" ? "number" : "value", this.#at);
    return Number(digits);
  }

  #object(pointer: string, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#members("}", () => {
      const from = this.#at;
      if (this.#text[from] !== '"') throw new Slipped(from < this.#text.length ? "key" : "end", from);
      const key = this.#string();
      this.#space();
      this.#take(":", "colon");
      entries.push([key, this.#value(`${pointer}/${escaped(key)}`, depth + 1, from)]);
    });
    return Object.fromEntries(entries);
  }

  #array(pointer: string, depth: number): unknown[] {
    const items: unknown[] = [];
    this.#members("]", () => items.push(this.#value(`${pointer}/${items.length}`, depth + 1)));
    return items;
  }

  #members(close: string, member: () => void): void {
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#space();
      member();
      if (this.#text[this.#at] === close) break;
      this.#take(",", "comma");
    }
    this.#at += 1;
  }

  #string(): string {
    const written = this.#match(TEXT);
    if (!written) throw new Slipped("text", this.#at);
    return JSON.parse(written) as string;
  }

  #take(letter: string, slip: Slip): void {
    if (this.#text[this.#at] !== letter) throw new Slipped(this.#at < this.#text.length ? slip : "end", this.#at);
    this.#at += 1;
  }

  #space(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** The place of a pointer; of something that is missing, what it is missing in. */
export function placeOf(pointer: string, places: ReadonlyMap<string, Place>): Place {
  for (let name = pointer; ; name = name.slice(0, name.lastIndexOf("/"))) {
    const found = places.get(name);
    if (found) return found;
    if (!name.includes("/")) return { from: 0, to: 0 };
  }
}

/** Counted from 1. */
export function lineOf(text: string, at: number): number {
  let line = 1;
  for (let place = text.indexOf("\n"); place >= 0 && place < at; place = text.indexOf("\n", place + 1)) line += 1;
  return line;
}
