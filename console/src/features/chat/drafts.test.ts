// @vitest-environment jsdom
/** A change of a draft is made to the newest one, whatever has been rendered. */

import { renderHook } from "@testing-library/react";
import { useLayoutEffect } from "react";
import { expect, test } from "vitest";

import { storedDrafts } from "@/ui/writing/drafts";

import { parseDraft, useStoredDraft, type Draft, type Reference } from "./drafts";

const stored = storedDrafts("chat", "priya", localStorage, parseDraft);
const reference = (id: string): Reference => ({ type: "object", id, title: id });
const ids = (draft: Draft): string[] => draft.references.map(({ id }) => id);

test("files that are attached while a draft is rendered are all kept", () => {
  const uploaded = [reference("file-1"), reference("file-2")];
  const { result, rerender } = renderHook(
    ({ isAttaching }) => {
      const [draft, change] = useStoredDraft(stored, "new");
      useLayoutEffect(() => {
        const next = isAttaching && uploaded.shift();
        if (next) change((newest) => ({ ...newest, references: [...newest.references, next] }));
      });
      return draft;
    },
    { initialProps: { isAttaching: false } },
  );
  rerender({ isAttaching: true });
  expect(ids(result.current)).toEqual(["file-1", "file-2"]);
  expect(stored.find("new")).toMatchObject(result.current);
});

test("each conversation has its own draft", () => {
  const { result, rerender } = renderHook(({ place }) => useStoredDraft(stored, place), { initialProps: { place: "one" } });
  const type = (text: string): void => result.current[1]((newest) => ({ ...newest, text: newest.text + text }));
  type("a");
  rerender({ place: "other" });
  type("b");
  rerender({ place: "one" });
  type("c");
  rerender({ place: "one" });
  expect(result.current[0].text).toBe("ac");
  expect(stored.find("other")?.text).toBe("b");
});
