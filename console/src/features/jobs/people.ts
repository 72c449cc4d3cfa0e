/** Names of a job's requester and executor. */

import { LOCAL, useExecutors, type Executor } from "@/api/executors";
import { usePeople, type Member } from "@/api/people";
import { t } from "@/i18n";
import { useSession } from "@/session";

export interface Names {
  isOwn: (userId: string) => boolean;
  owner: (userId: string) => string;
  executor: (id: string) => string;
}

/** Empty until loaded. */
export function useNames(): Names {
  const { me } = useSession();
  const people = usePeople();
  const executors = useExecutors();
  return {
    isOwn: (id) => id === me.user.id,
    owner: (id) => (id === me.user.id ? t("jobs.you") : ownerOf(id, people.data)),
    executor: (id) => (id === LOCAL ? t("executors.local") : executorOf(id, executors.data)),
  };
}

function ownerOf(id: string, people: readonly Member[] | undefined): string {
  return people ? (people.find((person) => person.user_id === id)?.display_name ?? t("jobs.owner.gone")) : "";
}

function executorOf(id: string, executors: readonly Executor[] | undefined): string {
  return executors ? (executors.find((executor) => executor.id === id)?.name ?? t("jobs.executor.gone")) : "";
}
