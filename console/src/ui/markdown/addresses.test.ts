import { describe, expect, it } from "vitest";

import { ownPlace, safeAddress } from "./addresses";

describe("addresses in a text", () => {
  it.each(["https://example.org/a?b=c", "HTTP://example.org", "mailto:ann@example.org", "#user-content-fn-1", "/notes/018f-a", "/files/a_b"])("leads to %s", (address) => {
    expect(safeAddress(address)).toBe(address);
  });

  it.each([
    "javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/api/notes", "/notes/", "/notes/a/b", "/notes/../api", "/settings/team",
    "file:///etc/passwd", "#elsewhere", "blob:https://x", "",
  ])("does not lead to %s", (address) => {
    expect(safeAddress(address)).toBeUndefined();
  });

  it("knows what its own address names", () => {
    expect(ownPlace("/people/u1")).toEqual({ kind: "people", id: "u1" });
    expect(ownPlace("https://example.org/notes/a")).toBeUndefined();
  });
});
