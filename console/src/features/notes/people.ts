/** Names for the people that notes know by id. */

import { useMemo } from "react";

import { useSession } from "@/app/session";
import { t } from "@/i18n";

import { usePeople, type Member } from "./queries";

export interface Names {
  of: (userId: string) => string;
  /** The same, with the caller as `you`. */
  ofOrYou: (userId: string) => string;
  find: (userId: string) => Member | undefined;
}

export function useNames(): Names {
  const { me } = useSession();
  const people = usePeople();
  const known = useMemo(() => new Map(people.data?.map((person) => [person.user_id, person])), [people.data]);
  const find = (userId: string): Member | undefined => known.get(userId);
  const of = (userId: string): string => {
    if (userId === me.user.id) return me.user.display_name;
    return find(userId)?.display_name ?? (people.isPending ? "…" : t("notes.somebody"));
  };
  return { find, of, ofOrYou: (userId) => (userId === me.user.id ? t("notes.you") : of(userId)) };
}
