import { expect, test } from "vitest";

import { welcomed } from "./people";

const member = {
  user_id: "1",
  username: "bob",
  display_name: "Bob",
  role: "member",
  org_role: null,
  two_factor: false,
  last_seen_at: null,
  disabled: false,
} as const;

test("what is kept of an invitation does not hold the first token", () => {
  const kept = welcomed({ member, token: "ts_a_secret", activation_url: "https://team.example/activate#x" });
  expect(kept).toEqual({ member, link: "https://team.example/activate#x", isNew: true });
  expect(JSON.stringify(kept)).not.toContain("ts_a_secret");
});

test("somebody who was there already brings no token", () => {
  expect(welcomed({ member }).isNew).toBe(false);
});
