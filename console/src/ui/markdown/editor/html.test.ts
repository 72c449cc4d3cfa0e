/** Pasted HTML becomes Markdown, and nothing in it becomes an element. */

import fc from "fast-check";
import { expect, test } from "vitest";

import { markdownOf } from "./html";

test.each([
  ["<p>Some <b>bold</b> and <i>italic</i></p>", "Some **bold** and *italic*"],
  ['<a href="https://example.org/a">words</a>', "[words](https://example.org/a)"],
  ["<a href='javascript:alert(1)'>words</a>", "words"],
  ["<h2>Title</h2><p>Text</p>", "## Title\n\nText"],
  ["<ul><li>one</li><li>two<ul><li>in</li></ul></li></ul>", "- one\n- two\n  - in"],
  ["<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"],
  ['<ul><li><input type="checkbox" checked>done</li></ul>', "- [x] done"],
  ["<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>", "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |"],
  ['<pre><code class="language-js">a &lt; b\nc</code></pre>', "```js\na < b\nc\n```"],
  ["<blockquote><p>said</p></blockquote>", "> said"],
  ["<p>a <code>b*c</code> *d*</p>", "a `b*c` \\*d\\*"],
  ['<b style="font-weight:normal"><p>Docs</p></b><hr>', "Docs\n\n---"],
  ["<html><body><!--StartFragment--><b>x</b><!--EndFragment--></body></html>", "**x**"],
  ["<b>a</b><script>alert(1)</script><style>b{}</style>", "**a**"],
])("%s", (html, text) => {
  expect(markdownOf(html)).toBe(text);
});

test("plain text is left to the browser", () => {
  expect(markdownOf("<span>words</span>")).toBeNull();
  expect(markdownOf("")).toBeNull();
});

test("whatever is pasted, it ends", () => {
  const bits = fc.constantFrom("<b>", "</b>", "<table>", "<tr>", "<td>", "</td>", "<ul>", "<li>", "</", "<", ">", "&lt;", "&#0;", "text", '<a href="x', "<!--", "-->", "<pre>");
  fc.assert(fc.property(fc.array(bits, { maxLength: 40 }), (parts) => void markdownOf(`<b>${parts.join("")}`)));
  expect(markdownOf("<b>".repeat(100_000) + "x")).toContain("x");
  expect(typeof markdownOf(`<b>${"<".repeat(200_000)}`)).toBe("string");
}, 60_000);
