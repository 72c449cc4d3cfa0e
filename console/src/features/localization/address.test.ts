import { expect, test } from "vitest";

import { filtersIn, isFiltered, NONE, queryOf, queueIn, queueQuery } from "./address";

test("an address has only filters that exist", () => {
  expect(filtersIn({ status: "stale", ns: "notes", q: 404, review: "lost", other: "x" })).toEqual({ ...NONE, status: "stale", ns: "notes", q: "404" });
  expect(isFiltered(filtersIn({ status: "nothing", q: "" }))).toBe(false);
  expect(isFiltered(filtersIn({ review: "returned" }))).toBe(true);
});

test("one text is shown whatever the other filters are", () => {
  expect(queryOf("de", { ...NONE, status: "missing", id: "m1" })).toEqual({ locale: "de", id: "m1" });
  expect(queryOf("de", { ...NONE, status: "missing" })).toMatchObject({ locale: "de", status: "missing" });
});

test("a queue has what others submitted, unless the address names another", () => {
  expect([queueIn({}), queueIn({ show: "drafts" }), queueIn({ show: "all" })]).toEqual(["submitted", "drafts", "submitted"]);
  expect(queueQuery("de", "submitted")).toEqual({ locale: "de", review: "submitted", reviewable: true });
  expect(queueQuery("de", "stale")).toEqual({ locale: "de", status: "stale" });
});
