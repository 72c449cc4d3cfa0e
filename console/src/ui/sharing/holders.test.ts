import { expect, test } from "vitest";

import { isFor } from "./holders";

const me = { user: { id: "ann" }, team: { id: "t1" } };

test("a share is for a person, or for the team they are in now", () => {
  const shares = [
    { principal_type: "user", principal_id: "ann" }, { principal_type: "team", principal_id: "t1" },
    { principal_type: "user", principal_id: "t1" }, { principal_type: "team", principal_id: "ann" },
    { principal_type: "team", principal_id: "t2" },
  ] as const;
  expect(shares.map(isFor(me))).toEqual([true, true, false, false, false]);
});
