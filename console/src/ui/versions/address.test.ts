import { expect, test } from "vitest";

import { pairOf, shownIn, VIEWS } from "./address";

test("an old version is compared with the newest, or with the one before", () => {
  const shown = shownIn({ version: 3 }, 5, VIEWS);
  expect(shown).toEqual({ version: 3, against: "newest", view: "changes" });
  expect(shown && pairOf(shown, 5)).toEqual([3, 5]);
  expect(pairOf({ version: 3, against: "before" }, 5)).toEqual([2, 3]);
  expect(pairOf({ version: 1, against: "before" }, 5)).toEqual([1, 1]);
});

test("the newest version, and one that doesn't exist, are shown as the item itself", () => {
  for (const version of [5, 6, 0, -1, 1.5, "x", undefined]) expect(shownIn({ version }, 5, VIEWS)).toBeUndefined();
});

test("a passage is shown in the text that it is from", () => {
  expect(shownIn({ version: 3, quote: "Crane 3" }, 5, VIEWS)?.view).toBe("read");
  expect(shownIn({ version: 3, quote: "Crane 3", view: "source" }, 5, VIEWS)?.view).toBe("source");
  expect(shownIn({ version: 3, view: "source" }, 5, ["read"])?.view).toBe("read");
});
