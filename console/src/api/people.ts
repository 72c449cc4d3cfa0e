/** The people of the team, or of the company: to choose one, and to say who did something. */

import { queryOptions, useQuery } from "@tanstack/react-query";

import { byName } from "@/i18n";

import { answer, api, type Schemas } from "./client";

export type Member = Schemas["Member"];

/** Who manages the caller's team and company; asked for when somebody is refused. */
export function useContacts(enabled: boolean) {
  return useQuery({
    queryKey: ["contacts"],
    queryFn: () => answer(api.GET("/api/contacts")),
    staleTime: 60_000,
    enabled,
  });
}

const MOST_PAGES = 10;

export interface Welcomed {
  member: Member;
  link?: string | null;
  isNew: boolean;
}

/** Somebody who was added. The first token of a new account is dropped here: it is neither shown nor kept. */
export function welcomed({ member, token, activation_url: link }: Schemas["AddedMember"]): Welcomed {
  return { member, link, isNew: Boolean(token) };
}

/** Everybody, as far as a list to choose from is of any use. */
export const peopleQuery = (scope?: "org") =>
  queryOptions({
    queryKey: ["members", "people", scope ?? "team"],
    queryFn: () => everybody(scope),
    staleTime: 60_000,
  });

export const usePeople = (scope?: "org") => useQuery(peopleQuery(scope));

async function everybody(scope?: "org"): Promise<Member[]> {
  const people: Member[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await answer(api.GET("/api/members", { params: { query: { limit: 200, cursor, scope } } }));
    people.push(...found.items);
    if (!found.next_cursor) break;
    cursor = found.next_cursor;
  }
  return people.sort((one, other) => byName(one.display_name, other.display_name));
}
