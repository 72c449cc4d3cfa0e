/** The executors that may be named for a question to a model: by those who run the instance, and of those that serve the company. */

import { LOCAL, useExecutors } from "@/api/executors";
import { useSession } from "@/app/session";
import { t } from "@/i18n";

export function useExecutorChoice(): { value: string; label: string }[] {
  const { me, can } = useSession();
  const executors = useExecutors();
  if (!can("instance:manage")) return [];
  const serving = executors.data?.filter(
    ({ org_id: org, capabilities }) => (org === null || org === me.org.id) && capabilities.includes("ai.chat"),
  );
  return (serving ?? []).map(({ id, name }) => ({ value: name, label: id === LOCAL ? t("executors.local") : name }));
}
