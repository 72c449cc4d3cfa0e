/** What is sent when a document is saved. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { api } from "@/api/client";

import { change } from "./queries";

const SAVED = { data: { id: "d1", title: "Plan", body: "theirs", visibility: "team", tags: [], version: 8 }, response: new Response() };

beforeEach(() => {
  vi.spyOn(api, "POST").mockResolvedValue(SAVED as never);
  vi.spyOn(api, "GET").mockResolvedValue(SAVED as never);
});
afterEach(() => void vi.restoreAllMocks());

test("a change of access alone is sent with its key, so that a repeat doesn't turn back what others chose since", async () => {
  expect(await change("d1", { visibility: "team" }, 8, "key")).toMatchObject({ visibility: "team", version: 8 });
  const params = { path: { id: "d1" }, header: { "Idempotency-Key": "key" } };
  expect(api.POST).toHaveBeenCalledWith("/api/repo-obj/{id}/visibility", { params, body: { visibility: "team" } });
});

test("a change of access alone is refused as overtaken if someone else has saved, since their text isn't known here", async () => {
  await expect(change("d1", { visibility: "team" }, 7, "key")).rejects.toMatchObject({ status: 412, code: "version_mismatch" });
});
