/** Executors an operator can choose for a question: those that serve the company. */

import { LOCAL, useExecutors } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";

export function useExecutorChoice(): { value: string; label: string }[] {
  const { me, can } = useSession();
  const executors = useExecutors();
  if (!can("instance:manage")) return [];
  const serving = executors.data?.filter(
    ({ org_id: org, capabilities }) => (org === null || org === me.org.id) && capabilities.includes("ai.chat"),
  );
  return (serving ?? []).map(({ id, name }) => ({ value: name, label: id === LOCAL ? t("executors.local") : name }));
}
