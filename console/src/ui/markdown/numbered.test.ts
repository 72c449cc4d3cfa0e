import { expect, test } from "vitest";

import { numbered, split } from "./numbered";

const text = (value: string) => ({ type: "text", value });
const mark = (number: string) => ({ type: "citation", data: { hName: "cite" }, children: [text(number)] });

test("a number that stands for something becomes an element", () => {
  expect(split("Late[1], as said [2][1].", new Set([1, 2]))).toEqual([
    text("Late"), mark("1"), text(", as said "), mark("2"), mark("1"), text("."),
  ]);
});

test("other numbers in brackets stay text", () => {
  expect(split("a[3] and [x] and [12345]", new Set([1]))).toEqual([text("a[3] and [x] and [12345]")]);
});

test("nothing inside of a link or of code is one", () => {
  const link = { type: "link", children: [text("see [1]")] };
  const code = { type: "inlineCode", value: "list[1]" };
  const tree = { type: "root", children: [link, code, { type: "paragraph", children: [text("[1]")] }] };
  numbered(new Set([1]))(tree);
  expect(tree.children).toEqual([link, code, { type: "paragraph", children: [mark("1")] }]);
});

test("elements that were made aren't searched again", () => {
  const tree = { type: "root", children: [text("[1]")] };
  numbered(new Set([1]))(tree);
  numbered(new Set([1]))(tree);
  expect(tree.children).toEqual([mark("1")]);
});
