import { describe, expect, it } from "vitest";

import type { Permission } from "@/api/client";

import { rightsOn } from "./rights";

const note = { owner: "ann", team_id: "t1", visibility: "team" as const, shared_with: [] };

function caller(id: string, permissions: Permission[] = [], scope: string[] | null = null, team = "t1") {
  const me = { user: { id, username: id, display_name: id }, team: { id: team, slug: team, name: team, org_id: "o1" }, scope };
  return { me, can: (permission: Permission) => permissions.includes(permission) } as unknown as Parameters<typeof rightsOn>[1];
}

describe("rights", () => {
  it("belong to the owner", () => {
    expect(rightsOn({ ...note, visibility: "private" }, caller("ann"))).toEqual({ write: true, delete: true, manage: true });
  });

  it("come by role in the note's own team, when the team sees it", () => {
    expect(rightsOn(note, caller("bo", ["notes:write"]))).toEqual({ write: true, delete: false, manage: false });
    expect(rightsOn({ ...note, visibility: "shared" }, caller("bo", ["notes:write"])).write).toBe(false);
    expect(rightsOn(note, caller("bo", ["notes:write"], null, "t2")).write).toBe(false);
  });

  it("come by a share, with the rungs below it", () => {
    const shared = { ...note, visibility: "private" as const, shared_with: [{ user_id: "bo", principal_type: "user" as const, principal_id: "bo", permission: "notes:delete" as const, expires_at: null }] };
    expect(rightsOn(shared, caller("bo"))).toEqual({ write: true, delete: true, manage: false });
    expect(rightsOn(shared, caller("cy"))).toEqual({ write: false, delete: false, manage: false });
  });

  it("never reach beyond a token's scope", () => {
    expect(rightsOn(note, caller("ann", [], ["notes:read"])).write).toBe(false);
    expect(rightsOn(note, caller("ann", [], ["notes:read", "notes:write"])).write).toBe(true);
  });
});
