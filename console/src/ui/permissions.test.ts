import { expect, test } from "vitest";

import { grantedBy, parseScope, permissionIn } from "./permissions";

test("a scope entry is a permission and perhaps a folder", () => {
  expect(parseScope("files:read")).toEqual({ permission: "files:read", prefix: "" });
  expect(parseScope("files:read:contracts/")).toEqual({ permission: "files:read", prefix: "contracts/" });
  expect(parseScope("moon:walk")).toEqual({ permission: undefined, prefix: "moon:walk" });
});

test("a refusal names the permission that is missing", () => {
  const params = (permission: string) => ({ params: { permission } });
  expect(permissionIn({ key: "rights.needs", ...params("settings:manage") })).toBe("settings:manage");
  expect(permissionIn({ key: "rights.needs_company_role", ...params("org:read") })).toBe("org:read");
  expect(permissionIn({ key: "rights.needs_operator", ...params("instance:manage") })).toBe("instance:manage");
  expect(permissionIn({ key: "repository.needs", ...params("files:write") })).toBeUndefined();
  expect(permissionIn({ key: "tenancy.owner_only", params: {} })).toBeUndefined();
  expect(permissionIn({ detail: "from a proxy" })).toBeUndefined();
});

test("who can grant a permission depends on its scope", () => {
  expect([grantedBy("notes:write"), grantedBy("org:read"), grantedBy("instance:manage")]).toEqual(["team", "org", "instance"]);
});
