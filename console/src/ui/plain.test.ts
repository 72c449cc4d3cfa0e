import { expect, test } from "vitest";

import { plain } from "./plain";

test("an excerpt has neither Markdown nor citation marks, but keeps names and numbers", () => {
  expect(plain("## Wait\n\n- [x] **21 minutes** _on average_ [\u20631], see [the *report*](/x) and `updated_at` in list[1].")).toBe(
    "Wait 21 minutes on average, see the report and updated_at in list[1].",
  );
});
