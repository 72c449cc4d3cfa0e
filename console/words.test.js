/** Everything that the console says is in the catalog, and the console says everything that is in it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const SPOKEN = /^(alt|title|label|placeholder|description|error|summary|heading|caption|text|aria-label|aria-description|aria-roledescription|aria-valuetext)$/;
const MANY_FILES_MS = 60_000;
const LETTERS = /\p{L}{2,}/u;
/** Names that are the same in every language. */
const NAMES = new Set(["Teamspace", "Markdown", "JSON", "CSV", "S3", "MCP", "GitHub", "OpenAI"]);

const catalog = JSON.parse(readFileSync(join(import.meta.dirname, "../teamspace/catalogs/en.json"), "utf8"));
const files = readdirSync(join(import.meta.dirname, "src"), { recursive: true })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|schema\.d\.ts$/.test(name))
  .map((name) => parse(name, readFileSync(join(import.meta.dirname, "src", name), "utf8")));

function parse(name, text) {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

function nodes(node, found = []) {
  found.push(node);
  ts.forEachChild(node, (child) => void nodes(child, found));
  return found;
}

function placeOf(file, node) {
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText().trim()}`;
}

/** An example of an address or a path is the same in every language. */
const isWords = (text) => LETTERS.test(text) && !NAMES.has(text.trim()) && !/^\S*\/\S*$/.test(text);

/** What is printed on a key. */
const isKey = (node) => ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === "kbd";

/** Texts that people see or hear, written in the source. */
function literals(file) {
  return nodes(file)
    .filter((node) => {
      if (ts.isJsxText(node)) return isWords(node.text) && !isKey(node);
      if (!ts.isJsxAttribute(node) || !SPOKEN.test(node.name.getText()) || !node.initializer) return false;
      const value = ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer;
      return value !== undefined && ts.isStringLiteralLike(value) && isWords(value.text);
    })
    .map((node) => placeOf(file, node));
}

/** Strings of a source, and patterns for those with values in them. */
function wordsIn(file) {
  const plain = new Set();
  const patterns = [];
  for (const node of nodes(file)) {
    if (ts.isStringLiteralLike(node)) plain.add(node.text);
    if (ts.isTemplateExpression(node)) patterns.push(patternOf(node));
  }
  return { plain, patterns };
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function patternOf(template) {
  const rest = template.templateSpans.map((span) => `[\\w.:-]+${escaped(span.literal.text)}`).join("");
  return new RegExp(`^${escaped(template.head.text)}${rest}$`);
}

/** Patterns without a word of the catalog at their beginning would fit every key. */
const namespaces = Object.keys(catalog);
const beginsKey = (pattern) => namespaces.some((name) => pattern.source.startsWith(`^${name}\\.`));

test("no text is written in the source", () => {
  expect(files.flatMap(literals)).toEqual([]);
}, MANY_FILES_MS);

test("every message is shown somewhere", () => {
  const words = files.map(wordsIn);
  const plain = new Set(words.flatMap((one) => [...one.plain]));
  const patterns = words.flatMap((one) => one.patterns).filter(beginsKey);
  const keys = namespaces
    .filter((namespace) => !["refusals", "signup", "link_page"].includes(namespace)) // the server's, whose own tests count them
    .flatMap((namespace) => Object.keys(catalog[namespace]).map((key) => `${namespace}.${key}`));
  expect(keys.filter((key) => !plain.has(key) && !patterns.some((pattern) => pattern.test(key)))).toEqual([]);
}, MANY_FILES_MS);

describe("the check itself", () => {
  test.each(["<p>Some words</p>", '<a aria-label="Words" />', "<a title={`Words`} />"])("finds %s", (source) => {
    expect(literals(parse("a.tsx", source))).toHaveLength(1);
  });

  test.each(['<p>{t("a.b")}</p>', "<p>·</p>", "<kbd>Enter</kbd>", '<a placeholder="reports/" />', '<a className="Words" />'])("allows %s", (source) => {
    expect(literals(parse("a.tsx", source))).toEqual([]);
  });

  test("knows keys with values in them", () => {
    const { patterns } = wordsIn(parse("a.ts", "t(`role.${name}.hint`)"));
    expect(["role.admin.hint", "role.admin"].map((key) => patterns.some((pattern) => pattern.test(key)))).toEqual([true, false]);
  });
});
