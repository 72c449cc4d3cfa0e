import { renderToStaticMarkup } from "react-dom/server";
import { MantineProvider } from "@mantine/core";
import { expect, test } from "vitest";

import { Markdown, type Marks } from "./Markdown";

const MARKS: Marks = { numbers: new Set([1]), show: (number) => <button>{number}</button> };
const shown = (text: string, marks?: Marks): string =>
  renderToStaticMarkup(
    <MantineProvider>
      <Markdown text={text} marks={marks} hosts />
    </MantineProvider>,
  );

test("numbers that stand for something are shown as it, beside formulas and code", () => {
  const html = shown("Late[\u20631] by $x^2$, not `a[1]` and not [2].", MARKS);
  expect(html).toContain("Late<button>1</button> by ");
  expect(html).toContain("<code>x^2</code>");
  expect(html).toContain("<code>a[1]</code>");
  expect(html).toContain("not [2].");
});

test("what a model writes itself is no mark, and its links don't catch the marks", () => {
  const html = shown("Late[\u20631], not[1].\n\n[1]: https://example.com", MARKS);
  expect(html.match(/<button>/g)).toHaveLength(1);
  expect(html).toContain("Late<button>1</button>");
});

test("an image is a link that says where it leads, and nothing is fetched", () => {
  const html = shown("![chart](https://tracker.example/p.png?id=1)");
  expect(html).not.toContain("<img");
  expect(html).toMatch(/<a href="https:\/\/tracker\.example\/p\.png\?id=1" target="_blank" rel="noopener noreferrer"/);
  expect(html).toContain("(tracker.example)");
});

test("a link names its host unless its text does", () => {
  expect(shown("[the bank](https://evil.example/login)")).toContain("(evil.example)");
  expect(shown("https://good.example/a")).not.toContain("(good.example)");
});

test("neither HTML nor scripts in addresses get through", () => {
  const html = shown('<img src=x onerror=alert(1)> <b>bold</b> [x](javascript:alert(1)) [y](data:text/html,z)');
  expect(html).not.toMatch(/onerror|<b>|javascript:|data:text/);
});

test("code has its language and a copy button", () => {
  const html = shown("```python\nprint(1)\n```");
  expect(html).toContain("python");
  expect(html).toContain("print(1)");
  expect(html).toContain("<button");
});

test("links to own things stay in the console, and people are only named", () => {
  const html = shown("[Plan](/notes/n1) by [@Ann](/people/u1), see ![quay](/files/f1)");
  expect(html).toContain('<a href="/app/notes/n1">Plan</a>');
  expect(html).toMatch(/<span class="[^"]*mention[^"]*">@Ann<\/span>/);
  // The image itself comes when it has been fetched.
  expect(html).not.toContain("<img");
});

test("a task can be ticked only where that is wanted", () => {
  expect(shown("- [ ] a")).not.toContain("<input");
  const html = renderToStaticMarkup(
    <MantineProvider>
      <Markdown text="- [x] a" onTick={() => undefined} />
    </MantineProvider>,
  );
  expect(html).toMatch(/<input type="checkbox"[^>]* checked=""/);
});
