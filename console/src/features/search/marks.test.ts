import { expect, test } from "vitest";

import { partsOf } from "./marks";

test("words that were found are marked, and all else is text", () => {
  expect(partsOf("The <mark>crane</mark> is <mark>back</mark>")).toEqual([
    { text: "The ", marked: false }, { text: "crane", marked: true }, { text: " is ", marked: false }, { text: "back", marked: true },
  ]);
});

test("what was escaped is read again, once", () => {
  expect(partsOf("a &lt;b&gt; &amp;amp; <mark>&quot;c&#x27;</mark> &unknown;")).toEqual([
    { text: "a <b> &amp; ", marked: false }, { text: "\"c'", marked: true }, { text: " &unknown;", marked: false },
  ]);
});

test("no other element becomes one", () => {
  expect(partsOf("<img src=x onerror=alert(1)><mark></mark>")).toEqual([{ text: "<img src=x onerror=alert(1)>", marked: false }]);
});
