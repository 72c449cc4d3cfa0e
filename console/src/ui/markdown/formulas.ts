/** Formulas in Markdown: models write them in TeX with dollar signs or backslashed brackets, and prices with dollar signs too. */

/** Code, fenced or inline, and what is escaped: nothing in them is a formula. */
const CODE = /(^|\n)( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n {0,3}\3[`~]*[ \t]*(?=\n|$)|$)|(`+)(?!`)[\s\S]*?[^`]\4(?!`)|\\[\\$]/g;
/** Brackets on their own, brackets in a line, or dollar signs as in Pandoc: no space inside, and no digit after the second. `$5 and $10` isn't one. */
const FORMULA = /\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|(?<![\\$\w])\$(?![\s$])([^\n$]*?[^\s\\$])\$(?![\d$])/g;

export interface Formulated {
  /** The text with every formula between double signs, which is the only form that the parser takes. */
  text: string;
  /** The place in the original of a place outside of formulas. */
  original: (place: number) => number;
}

export function withFormulas(text: string): Formulated {
  if (!/[$\\]/.test(text)) return { text, original: (place) => place };
  const parts: string[] = [];
  /** Where the text is shifted, and by how much from there on. */
  const shifts: [place: number, shift: number][] = [];
  let length = 0;
  let done = 0;
  const say = (words: string): void => {
    parts.push(words);
    length += words.length;
  };
  function formulate(from: number, to: number): void {
    for (const found of text.slice(from, to).matchAll(FORMULA)) {
      const at = from + found.index;
      say(text.slice(done, at));
      done = at + found[0].length;
      say(written(found));
      shifts.push([length, done - length]);
    }
    say(text.slice(done, to));
    done = to;
  }
  for (const code of text.matchAll(CODE)) {
    formulate(done, code.index);
    say(code[0]);
    done = code.index + code[0].length;
  }
  formulate(done, text.length);
  return { text: parts.join(""), original: (place) => place + (shifts.findLast(([at]) => at <= place)?.[1] ?? 0) };
}

function written([, display, brackets, dollars]: RegExpMatchArray): string {
  return display === undefined ? `$$${brackets?.trim() ?? dollars}$$` : `\n$$\n${display.trim()}\n$$\n`;
}
