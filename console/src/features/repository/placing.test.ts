import { expect, test } from "vitest";

import type { Permission } from "@/api/client";
import { sessionOf, type Whoami } from "@/session";

import { mayPlace } from "./placing";

const session = (...permissions: Permission[]) => sessionOf({ permissions, features: [], operator: false, team: { id: "ours" } } as unknown as Whoami);
const file = (team_id: string, ...permissions: Permission[]) => ({ team_id, permissions });

test("a file is renamed and moved by those who write it and may name things in its team", () => {
  expect(mayPlace(file("ours", "files:write"), session("files:write"))).toBe(true);
  expect(mayPlace(file("ours", "files:read"), session("files:write"))).toBe(false);
});

test("a grant is not enough, nor is a role in another team", () => {
  expect(mayPlace(file("ours", "files:write"), session())).toBe(false);
  expect(mayPlace(file("theirs", "files:write"), session("files:write"))).toBe(false);
});
