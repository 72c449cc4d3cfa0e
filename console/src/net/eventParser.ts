/** Server-sent events, from text that arrives in chunks of any size. */

export interface ServerEvent {
  name: string;
  data: string;
  /** Where the stream can be resumed. */
  id: string;
}

/** Maximum characters of an event, unless a stream is known to have longer ones. */
const LONGEST = 64 * 1024;
const LINE_END = /\r\n|\n|\r/;

export class EventParser {
  readonly #longest: number;
  #rest = "";
  #endedWithReturn = false;
  #name = "";
  #data: string[] = [];
  #length = 0;
  #id = "";

  constructor(longest = LONGEST) {
    this.#longest = longest;
  }

  /** The events that a chunk completes. Throws if a line or an event is too long. */
  feed(chunk: string): ServerEvent[] {
    if (chunk === "") return [];
    // A line end can be split: the return came with the chunk before.
    this.#rest += this.#endedWithReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    this.#endedWithReturn = chunk.endsWith("\r");
    const lines = this.#rest.split(LINE_END);
    this.#rest = lines.pop() ?? "";
    this.#check(this.#rest.length);
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | undefined {
    if (line === "") return this.#complete();
    this.#length += line.length;
    this.#check(this.#length);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #complete(): ServerEvent | undefined {
    const event = { name: this.#name || "message", data: this.#data.join("\n"), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#name = "";
    this.#data = [];
    this.#length = 0;
    return isEmpty ? undefined : event;
  }

  #check(length: number): void {
    if (length > this.#longest) throw new RangeError(`an event is longer than ${this.#longest} letters`);
  }
}
