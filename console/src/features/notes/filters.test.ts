import { describe, expect, it } from "vitest";

import { addressed } from "./filters";

describe("an address", () => {
  it("says what it says, and nothing else", () => {
    expect(addressed({ show: "mine", visibility: "team", tag: 2026, edit: true })).toMatchObject({
      show: "mine", visibility: "team", tag: "2026", edit: true,
    });
    expect(addressed({ show: "everything", visibility: 1, tag: "", edit: "1", other: {} })).toEqual({});
  });
});
