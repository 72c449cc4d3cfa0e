/**
 * Pasted HTML as Markdown: bold, italic, links, headings, lists, quotes, code and tables. The text is only read, sign by
 * sign; it never becomes elements of the page.
 */

/** More is pasted as plain text. */
export const LONGEST_HTML = 1_000_000;
const DEEPEST = 200;

export interface Element {
  tag: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
}

const VOID = new Set(["br", "hr", "img", "input", "meta", "link", "col", "wbr"]);
const SKIPPED = new Set(["script", "style", "head", "title", "template", "noscript", "svg", "iframe", "object"]);
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…", copy: "©", euro: "€" };
const TOKEN = /<!--[^]*?(?:-->|$)|<!\[?[^>]*>|<\/([a-z][a-z0-9:-]*)[^>]*>|<([a-z][a-z0-9:-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|[^<]+|</gi;

export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,10}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hex ?? "", 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name, , double, single, bare] of text.matchAll(/([a-z-]+)\s*(=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/gi)) {
    if (name) found[name.toLowerCase()] = decoded(double ?? single ?? bare ?? "");
  }
  return found;
}

/** A tree of the elements; unclosed ones end with their parent. */
export function parsed(html: string): Element {
  const root: Element = { tag: "root", attributes: {}, children: [] };
  const open = [root];
  for (const [whole, closed, opened, attributes] of html.matchAll(TOKEN)) {
    const top = open.at(-1) ?? root;
    if (closed) {
      const place = open.findLastIndex(({ tag }) => tag === closed.toLowerCase());
      if (place > 0) open.length = place;
    } else if (opened) {
      const tag = opened.toLowerCase();
      const element = { tag, attributes: attributesOf(attributes ?? ""), children: [] };
      top.children.push(element);
      if (!VOID.has(tag) && !attributes?.endsWith("/") && open.length < DEEPEST) open.push(element);
    } else if (!whole.startsWith("<!")) top.children.push(decoded(whole));
  }
  return root;
}

/** Null if there's nothing in it that plain text lacks. */
export function markdownOf(html: string): string | null {
  if (html.length > LONGEST_HTML || !/<(?:b|strong|i|em|a|h[1-6]|ul|ol|table|pre|code|blockquote|s|del|hr)\b/i.test(html)) return null;
  const body = html.replace(/^[^]*<!--StartFragment-->|<!--EndFragment-->[^]*$/g, "");
  const text = blocksOf(parsed(body), 0).join("\n\n").trim();
  return text === "" ? null : text;
}

const BLOCKS = new Set(["p", "div", "section", "article", "main", "header", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "hr", "figure", "dl", "dt", "dd", "body", "html", "root", "details", "summary"]);

const isBlock = (node: Element | string): node is Element => typeof node !== "string" && (BLOCKS.has(node.tag) || (node.tag !== "a" && node.children.some(isBlock)));

function blocksOf(element: Element, depth: number): string[] {
  const found: string[] = [];
  let words = "";
  const end = (): void => {
    const line = words.replace(/[ \t]*\n[ \t]*/g, "\n").trim();
    if (line) found.push(line);
    words = "";
  };
  for (const child of element.children) {
    if (!isBlock(child)) words += inlineOf(child);
    else {
      end();
      found.push(...blockOf(child, depth));
    }
  }
  end();
  return found;
}

function blockOf(element: Element, depth: number): string[] {
  const { tag } = element;
  if (SKIPPED.has(tag)) return [];
  if (/^h[1-6]$/.test(tag)) return [`${"#".repeat(Number(tag[1]))} ${inlineAll(element).replace(/\s+/g, " ").trim()}`];
  if (tag === "ul" || tag === "ol") return [listOf(element, depth)];
  if (tag === "table") return [tableOf(element)];
  if (tag === "pre") return [fenced(element)];
  if (tag === "hr") return ["---"];
  if (tag === "blockquote") return [blocksOf(element, depth).join("\n\n").replace(/^/gm, "> ").replace(/^> $/gm, ">")];
  return blocksOf(element, depth);
}

function listOf(element: Element, depth: number): string {
  const items = element.children.filter((child): child is Element => typeof child !== "string" && child.tag === "li");
  return items
    .map((item, place) => {
      const box = item.children.find((child): child is Element => typeof child !== "string" && child.tag === "input" && child.attributes.type === "checkbox");
      const sign = element.tag === "ol" ? `${place + 1}. ` : "- ";
      const task = box ? `[${"checked" in box.attributes ? "x" : " "}] ` : "";
      const [first = "", ...rest] = blocksOf(item, depth + 1);
      const more = rest.map((block) => `\n${block}`).join("\n").replace(/\n\n(?=[-\d])/g, "\n");
      return (sign + task + first + (more && `${/^\n(?:- |\d+\. )/.test(more) ? "" : "\n"}${more}`)).replace(/\n(?=[^\n])/g, `\n${" ".repeat(sign.length)}`);
    })
    .join("\n");
}

function rowsOf(element: Element): Element[] {
  return element.children.flatMap((child) => {
    if (typeof child === "string") return [];
    if (child.tag === "tr") return [child];
    return ["thead", "tbody", "tfoot"].includes(child.tag) ? rowsOf(child) : [];
  });
}

function tableOf(element: Element): string {
  const rows = rowsOf(element).map((row) =>
    row.children
      .filter((cell): cell is Element => typeof cell !== "string" && (cell.tag === "td" || cell.tag === "th"))
      .map((cell) => inlineAll(cell).replace(/\s+/g, " ").trim().replaceAll("|", "\\|")),
  );
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width === 0) return "";
  const line = (cells: readonly string[]): string => `|${Array.from({ length: width }, (_, place) => ` ${cells[place] ?? ""} |`).join("")}`;
  const [head = [], ...others] = rows;
  return [line(head), `|${" --- |".repeat(width)}`, ...others.map(line)].join("\n");
}

function textOf(node: Element | string): string {
  if (typeof node === "string") return node;
  return node.tag === "br" ? "\n" : node.children.map(textOf).join("");
}

function fenced(element: Element): string {
  const code = textOf(element).replace(/\n$/, "");
  const inner = element.children.find((child): child is Element => typeof child !== "string" && child.tag === "code");
  const language = /language-([\w+#-]+)/.exec(inner?.attributes.class ?? element.attributes.class ?? "")?.[1] ?? "";
  const fence = "`".repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${code}\n${fence}`;
}

const inlineAll = (element: Element): string => element.children.map(inlineOf).join("");

/** Signs of Markdown in a plain text stay what they are. */
const plain = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]]/g, "\\$&").replace(/^(\s*)([#>]|[-+](?=\s)|\d+[.)](?=\s))/, "$1\\$2");

function inlineOf(node: Element | string): string {
  if (typeof node === "string") return plain(node);
  const { tag, attributes } = node;
  if (SKIPPED.has(tag) || tag === "input") return "";
  if (tag === "br") return "\n";
  if (tag === "code" || tag === "kbd" || tag === "tt") return coded(textOf(node));
  const words = inlineAll(node);
  if (tag === "a" && /^(?:https?:|mailto:)/i.test(attributes.href ?? "")) return around(words, "[", `](${(attributes.href ?? "").replace(/[()\s]/g, encodeURIComponent)})`);
  const weight = /font-weight:\s*(bold|[6-9]00|normal|[1-5]00)/.exec(attributes.style ?? "")?.[1];
  // Google Docs wraps everything in a bold element that says it isn't.
  if (weight ? /bold|[6-9]00/.test(weight) : tag === "b" || tag === "strong") return around(words, "**", "**");
  if (tag === "i" || tag === "em" || /font-style:\s*italic/.test(attributes.style ?? "")) return around(words, "*", "*");
  if (tag === "s" || tag === "del" || tag === "strike") return around(words, "~~", "~~");
  return words;
}

/** Blanks at the edges stay outside of the marks. */
function around(words: string, before: string, after: string): string {
  const [, lead = "", inner = "", tail = ""] = /^(\s*)([^]*?)(\s*)$/.exec(words) ?? [];
  return inner === "" ? words : `${lead}${before}${inner}${after}${tail}`;
}

function coded(text: string): string {
  const words = text.replace(/\s+/g, " ");
  if (words.trim() === "") return words;
  const marks = words.includes("`") ? "``" : "`";
  const pad = /^`|`$/.test(words) ? " " : "";
  return `${marks}${pad}${words}${pad}${marks}`;
}
