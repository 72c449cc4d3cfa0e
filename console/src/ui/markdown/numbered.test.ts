import { expect, test } from "vitest";

import { numbered, split } from "./numbered";

const text = (value: string) => ({ type: "text", value });
const mark = (number: string) => ({ type: "citation", data: { hName: "cite" }, children: [text(number)] });

test("a number that stands for something becomes an element", () => {
  expect(split("Late[\u20631], as said [\u20632][\u20631].", new Set([1, 2]))).toEqual([
    text("Late"), mark("1"), text(", as said "), mark("2"), mark("1"), text("."),
  ]);
});

test("other numbers in brackets stay text", () => {
  const plain = "a[1] and [\u20633] and [x] and [\u206312345]";
  expect(split(plain, new Set([1]))).toEqual([text(plain)]);
});

test("nothing inside of a link or of code is one", () => {
  const link = { type: "link", children: [text("see [\u20631]")] };
  const code = { type: "inlineCode", value: "list[\u20631]" };
  const tree = { type: "root", children: [link, code, { type: "paragraph", children: [text("[\u20631]")] }] };
  numbered(new Set([1]))(tree);
  expect(tree.children).toEqual([link, code, { type: "paragraph", children: [mark("1")] }]);
});

test("elements that were made aren't searched again", () => {
  const tree = { type: "root", children: [text("[\u20631]")] };
  numbered(new Set([1]))(tree);
  numbered(new Set([1]))(tree);
  expect(tree.children).toEqual([mark("1")]);
});
