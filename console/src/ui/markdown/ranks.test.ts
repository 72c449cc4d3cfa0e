import { describe, expect, it } from "vitest";

import { ranks } from "./ranks";

function ranked(...depths: number[]): (string | undefined)[] {
  const children = depths.map((depth) => ({ type: "heading", depth, data: {} as { hName?: string } }));
  ranks()({ type: "root", children: [{ type: "blockquote", children }] });
  return children.map((heading) => heading.data.hName);
}

describe("ranks of headings", () => {
  it("begin below the page's own", () => {
    expect(ranked(1, 2, 3)).toEqual(["h2", "h3", "h4"]);
    expect(ranked(3, 3, 4)).toEqual(["h2", "h2", "h3"]);
  });

  it("end where HTML ends", () => {
    expect(ranked(1, 6)).toEqual(["h2", "h6"]);
    expect(ranked()).toEqual([]);
  });
});
