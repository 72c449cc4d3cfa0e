import { expect, test } from "vitest";

import { grantedBy, parseScope, permissionIn } from "./permissions";

test("a scope entry is a permission and perhaps a folder", () => {
  expect(parseScope("files:read")).toEqual({ permission: "files:read", prefix: "" });
  expect(parseScope("files:read:contracts/")).toEqual({ permission: "files:read", prefix: "contracts/" });
  expect(parseScope("moon:walk")).toEqual({ permission: undefined, prefix: "moon:walk" });
});

test("a refusal's message names the permission by its code", () => {
  expect(permissionIn("This needs settings:manage.")).toBe("settings:manage");
  expect(permissionIn("This needs org:read, by a role in the company.")).toBe("org:read");
  expect(permissionIn("This needs instance:manage: ask an operator of the instance.")).toBe("instance:manage");
  expect(permissionIn("This needs files:write on the object: ask its owner.")).toBeUndefined();
  expect(permissionIn("Only an owner changes an owner.")).toBeUndefined();
});

test("who can grant a permission depends on its scope", () => {
  expect([grantedBy("notes:write"), grantedBy("org:read"), grantedBy("instance:manage")]).toEqual(["team", "org", "instance"]);
});
