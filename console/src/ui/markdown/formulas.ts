/** Formulas in Markdown: models write them in TeX with dollar signs or backslashed brackets, and prices with dollar signs too. */

/** Code, fenced or inline, and what is escaped: nothing in them is a formula. */
const CODE = /(^|\n)( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n {0,3}\3[`~]*[ \t]*(?=\n|$)|$)|(`+)(?!`)[\s\S]*?[^`]\4(?!`)|\\[\\$]/g;
const DISPLAY = /\\\[([\s\S]+?)\\\]/g;
const INLINE = /\\\(([\s\S]+?)\\\)/g;
/** As in Pandoc: no space inside the signs, and no digit after the second. `$5 and $10` isn't one. */
const DOLLARS = /(?<![\\$\w])\$(?![\s$])([^\n$]*?[^\s\\$])\$(?![\d$])/g;

/** The text with every formula between double signs, which is the only form that the parser takes. */
export function withFormulas(text: string): string {
  if (!/[$\\]/.test(text)) return text;
  let out = "";
  let from = 0;
  for (const code of text.matchAll(CODE)) {
    out += marked(text.slice(from, code.index)) + code[0];
    from = code.index + code[0].length;
  }
  return out + marked(text.slice(from));
}

function marked(text: string): string {
  return text
    .replace(DISPLAY, (_, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
    .replace(INLINE, (_, formula: string) => `$$${formula.trim()}$$`)
    .replace(DOLLARS, (_, formula: string) => `$$${formula}$$`);
}
