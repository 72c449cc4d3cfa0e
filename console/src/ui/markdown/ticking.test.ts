import fc from "fast-check";
import { expect, test } from "vitest";

import { anyMarkdown } from "./editor/samples.test-data";
import { ticked } from "./ticking";

test("ticking changes exactly one letter of a text, at the task", () => {
  fc.assert(
    fc.property(anyMarkdown, fc.constantFrom("- [ ] a", "* [x] a", "1. [X] a"), anyMarkdown, (before, task, after) => {
      const text = `${before}\n${task}\n${after}`;
      const at = before.length + 1;
      const now = ticked(text, at) ?? "";
      expect(now.length).toBe(text.length);
      expect(now.slice(0, at + 3)).toBe(text.slice(0, at + 3));
      expect(now.slice(at + 6)).toBe(text.slice(at + 6));
      expect(ticked(now, at)?.toLowerCase()).toBe(text.toLowerCase());
    }),
  );
});

test("where no task is, nothing changes", () => {
  for (const text of ["- [ ]no", "[ ] no", "- [y] no", "text", ""]) expect(ticked(text, 0)).toBeUndefined();
});
