import { describe, expect, it } from "vitest";

import type { Permission } from "@/api/client";

import { rightsOn } from "./rights";

const thing = { owner: "ann", team_id: "t1", visibility: "team" as const };
const ALL = { write: true, delete: true, manage: true };

function caller(id: string, permissions: Permission[] = [], scope: string[] | null = null, team = "t1") {
  const me = { user: { id }, team: { id: team }, scope };
  return { me, can: (permission: Permission) => permissions.includes(permission) } as unknown as Parameters<typeof rightsOn>[1];
}

describe("rights on what is in the repository", () => {
  it("belong to the owner", () => {
    expect(rightsOn({ ...thing, visibility: "private" }, caller("ann"))).toEqual(ALL);
  });

  it("come by role in its own team, when the team sees it", () => {
    expect(rightsOn(thing, caller("bo", ["files:write"]))).toEqual({ write: true, delete: false, manage: false });
  });

  it("that come by a grant are not told before: they are offered", () => {
    expect(rightsOn({ ...thing, visibility: "shared" }, caller("bo"))).toEqual(ALL);
    expect(rightsOn(thing, caller("bo", [], null, "t2"))).toEqual(ALL);
  });

  it("are never wider than the token, wherever below it reaches", () => {
    expect(rightsOn(thing, caller("ann", [], ["files:read", "files:write:reports/"]))).toEqual({ write: true, delete: false, manage: false });
  });
});
