/** Who can change company roles. */

import { expect, test } from "vitest";

import { sessionOf, type Whoami } from "@/session";

import type { Colleague, OrgRole } from "./queries";
import { givable, reachable } from "./rules";

const session = (org_role: OrgRole | null, operator = false) =>
  sessionOf({
    user: { id: "me" },
    org_role,
    operator,
    permissions: org_role === "org_owner" || org_role === "org_admin" ? ["org:read", "org:manage"] : ["org:read"],
    features: [],
  } as unknown as Whoami);

const person = (org_role: OrgRole | null, user_id = "other") => ({ user_id, org_role }) as Colleague;

test("nobody changes their own role, not even an owner", () => {
  expect(reachable(session("org_owner"), person("org_owner", "me"), 2)).toBe(false);
});

test("an owner is for owners and operators alone", () => {
  expect(reachable(session("org_admin"), person("org_owner"), 2)).toBe(false);
  expect(reachable(session("org_owner"), person("org_owner"), 2)).toBe(true);
  expect(reachable(session(null, true), person("org_owner"), 2)).toBe(true);
  expect(givable(session("org_admin"))).not.toContain("org_owner");
  expect(givable(session("org_owner"))).toContain("org_owner");
});

test("the last owner stays", () => {
  expect(reachable(session(null, true), person("org_owner"), 1)).toBe(false);
});

test("a reader changes nobody", () => {
  expect(reachable(session("org_reader"), person(null), 2)).toBe(false);
  expect(reachable(session("org_admin"), person("org_admin"), 2)).toBe(true);
});
