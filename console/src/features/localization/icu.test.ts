import { expect, test } from "vitest";

import { begun, hasPlural, pieces, tagsIn } from "./icu";

const POLISH = ["one", "few", "many", "other"];

test.each([
  ["{count, plural, one {1 text} other {# texts}}", "{count, plural, one {1 text} few {# texts} many {# texts} other {# texts}}"],
  ["{n, plural, =0 {None} one {One} other {# of {name}}} left", "{n, plural, =0 {None} one {One} few {# of {name}} many {# of {name}} other {# of {name}}} left"],
  ["{who, select, me {{n, plural, one {a} other {b}}} other {c}}", "{who, select, me {{n, plural, one {a} few {b} many {b} other {b}}} other {c}}"],
  ["{n, plural, offset:1 one {a} other {b}}", "{n, plural, offset:1 one {a} few {b} many {b} other {b}}"],
  ["Hello {name}, it’s {day, date, long}", "Hello {name}, it’s {day, date, long}"],
  ["'{'n, plural, one {a}", "'{'n, plural, one {a}"],
  ["{broken, plural, one {a", "{broken, plural, one {a} few {} many {} other {}}"],
])("%s begins as the language needs it", (source, expected) => {
  expect(begun(source, POLISH)).toBe(expected);
});

test("a language without plural forms has one", () => {
  expect(begun("{count, plural, one {1 text} other {# texts}}", ["other"])).toBe("{count, plural, other {# texts}}");
});

test("a message is marked where it stays as it is", () => {
  const code = (text: string): string[] => pieces(text).filter((piece) => piece.code).map((piece) => piece.text);
  expect(code("Ask <b>{names}</b> or {count, number}")).toEqual(["<b>", "{names}", "</b>", "{count, number}"]);
  expect(code("{count, plural, one {1 text} other {# texts}}")).toEqual(["{count, plural,", "#"]);
  expect(pieces("plain").map((piece) => piece.text)).toEqual(["plain"]);
  expect(pieces("a {b} c").map((piece) => piece.text).join("")).toBe("a {b} c");
});

test("plurals and tags are found", () => {
  expect([hasPlural("{n, plural, other {x}}"), hasPlural("{n}")]).toEqual([true, false]);
  expect(tagsIn("<b>One</b> and <b>two</b><br/>")).toEqual(["<b>", "</b>", "<br/>"]);
});
