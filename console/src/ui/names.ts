/** Display names for user ids. */

import { useMemo } from "react";

import { usePeople, type Member } from "@/api/people";
import { t } from "@/i18n";
import { useSession } from "@/session";

export interface Names {
  of: (userId: string) => string;
  /** The same, with “you” for the current user. */
  ofOrYou: (userId: string) => string;
  find: (userId: string) => Member | undefined;
}

/** Members of the team; for company readers, everyone in the company. */
export function useKnownPeople() {
  const { me } = useSession();
  return usePeople(me.permissions.includes("org:read") ? "org" : undefined);
}

export function useNames(): Names {
  const { me } = useSession();
  const people = useKnownPeople();
  const known = useMemo(() => new Map(people.data?.map((person) => [person.user_id, person])), [people.data]);
  const { isPending } = people;
  // Lists are sorted by them.
  return useMemo(() => {
    const find = (userId: string): Member | undefined => known.get(userId);
    const of = (userId: string): string => {
      if (userId === me.user.id) return me.user.display_name;
      return find(userId)?.display_name ?? (isPending ? "…" : t("names.somebody"));
    };
    return { find, of, ofOrYou: (userId) => (userId === me.user.id ? t("names.you") : of(userId)) };
  }, [known, isPending, me]);
}
