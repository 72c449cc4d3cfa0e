import { expect, test } from "vitest";

import { ALL_RIGHTS, rightsOn } from "./rights";

test("rights are what the server says with the thing, and no more", () => {
  expect(rightsOn({ permissions: ["files:read"] })).toEqual({ write: false, delete: false, manage: false });
  expect(rightsOn({ permissions: ["files:read", "files:write"] })).toEqual({ write: true, delete: false, manage: false });
  expect(rightsOn({ permissions: ["files:read", "files:write", "files:delete", "files:manage"] })).toEqual(ALL_RIGHTS);
});
