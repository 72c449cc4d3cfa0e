/** The people whom `@` offers. */

import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";

import { api } from "@/api/client";

import { people } from "./targets";

afterEach(() => void vi.restoreAllMocks());

/** Pages of members, by their cursors. */
function answering(pages: Record<string, { names: string[]; next?: string }>) {
  return vi.spyOn(api, "GET").mockImplementation(((_: string, { params }: { params: { query: { cursor?: string } } }) => {
    const { names, next } = pages[params.query.cursor ?? "first"] as { names: string[]; next?: string };
    const items = names.map((name) => ({ user_id: name, display_name: name, username: name.toLowerCase() }));
    return Promise.resolve({ data: { items, next_cursor: next ?? null }, response: new Response() });
  }) as never);
}

test("they are all of the team, not only its newest members, and asked for once", async () => {
  const asked = answering({ first: { names: ["Bob"], next: "second" }, second: { names: ["Ann"] } });
  const queries = new QueryClient();
  expect((await people(queries)).map(({ title }) => title)).toEqual(["Ann", "Bob"]);
  await people(queries);
  expect(asked).toHaveBeenCalledTimes(2);
});

test("they are those of the present team", async () => {
  const queries = new QueryClient();
  answering({ first: { names: ["Ann"] } });
  await people(queries);
  await queries.resetQueries();
  answering({ first: { names: ["Cem"] } });
  expect(await people(queries)).toEqual([{ address: "/people/Cem", title: "Cem", detail: "cem" }]);
});
