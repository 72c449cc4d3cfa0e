/** Messages with values: what a translator begins with, and how the values in them are marked. */

const CHOICE = /^\s*([\w-]+)\s*,\s*(plural|selectordinal|select)\s*,/;
const BRANCH = /\s*(offset:\d+|[^\s{}]+)\s*(?=\{|offset:|[^\s{}])/y;

/** The order that grammars list them in. */
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];

/** The end of what a brace opens; the end of the text if nothing closes it. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "'" && /[{}]/.test(text[at + 1] ?? "")) {
      const closed = text.indexOf("'", at + 1);
      at = closed < 0 ? text.length : closed;
    } else if (text[at] === "{") depth += 1;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return text.length;
}

interface Span {
  /** Without the braces. */
  inner: string;
  from: number;
  to: number;
}

/** What is in braces, at the top level. */
function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "'" && /[{}]/.test(text[at + 1] ?? "")) {
      const closed = text.indexOf("'", at + 1);
      at = closed < 0 ? text.length : closed;
    } else if (text[at] === "{") {
      const end = endOf(text, at);
      spans.push({ inner: text.slice(at + 1, end), from: at, to: end + 1 });
      at = end;
    }
  }
  return spans;
}

function branchesOf(body: string): { offset: string; branches: Map<string, string> } {
  const branches = new Map<string, string>();
  let offset = "";
  for (let at = 0; at < body.length; ) {
    BRANCH.lastIndex = at;
    const name = BRANCH.exec(body);
    if (!name) break;
    at = BRANCH.lastIndex;
    if (name[1]?.startsWith("offset:")) {
      offset = `${name[1]} `;
      continue;
    }
    const end = endOf(body, at);
    branches.set(name[1] ?? "", body.slice(at + 1, end));
    at = end + 1;
  }
  return { offset, branches };
}

function choiceOf(inner: string, categories: readonly string[]): string {
  const found = CHOICE.exec(inner);
  if (!found) return `{${inner}}`;
  const [head, name, kind] = found;
  const { offset, branches } = branchesOf(inner.slice(head.length));
  const exact = [...branches.keys()].filter((key) => kind === "select" || key.startsWith("="));
  const needed = kind === "plural" ? CATEGORIES.filter((each) => categories.includes(each)) : [...branches.keys()].filter((key) => !exact.includes(key));
  const written = [...exact, ...needed].map((key) => `${key} {${begun(branches.get(key) ?? branches.get("other") ?? "", categories)}}`);
  return `{${name}, ${kind}, ${offset}${written.join(" ")}}`;
}

/** The source with the plural forms of another language: what a translation of it begins with. */
export function begun(source: string, categories: readonly string[]): string {
  let text = "";
  let done = 0;
  for (const { inner, from, to } of spansOf(source)) {
    text += source.slice(done, from) + choiceOf(inner, categories);
    done = to;
  }
  return text + source.slice(done);
}

export const hasPlural = (source: string): boolean => /,\s*(?:plural|selectordinal)\s*,/.test(source);

/** Tags whose order and number a translation keeps. */
export const tagsIn = (source: string): string[] => [...new Set(source.match(/<\/?[a-z][\w-]*\s*\/?>/gi) ?? [])];

export interface Piece {
  text: string;
  /** Code stays as it is in every language. */
  code: boolean;
}

const CODE = /\{[\w-]+(?:, ?(?:number|date|time)[^{}]*)?\}|\{[\w-]+, ?(?:plural|select|selectordinal),|<\/?[a-z][\w-]*\s*\/?>|#(?=[^\w]|$)/gi;

/** A message in pieces, with what stays as it is marked. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > done) found.push({ text: text.slice(done, match.index), code: false });
    found.push({ text: match[0], code: true });
    done = match.index + match[0].length;
  }
  if (done < text.length) found.push({ text: text.slice(done), code: false });
  return found;
}
