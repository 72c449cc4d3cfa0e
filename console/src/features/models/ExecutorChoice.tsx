/** Executor of a role: saved when chosen. */

import { Button, Select } from "@mantine/core";

import type { Executor } from "@/api/executors";
import { t } from "@/i18n";
import { useSession } from "@/session";
import { notice, noticeFault } from "@/ui/notice";

import { choicesOf, DEFAULT, executorName } from "./choices";
import styles from "./Models.module.css";
import { useSetRole, type Role } from "./queries";

interface Props {
  role: Role;
  label: string;
  chosen: string | null;
  /** The instance's choice. */
  fallback: string | null;
  executors: readonly Executor[];
}

export function ExecutorChoice({ role, label, chosen, fallback, executors }: Props) {
  const { me } = useSession();
  const set = useSetRole();

  function choose(executor: string | null): void {
    const message = executor === null ? t("models.reset.done") : t("models.set", { name: executorName(executor) });
    set.mutate({ role, executor }, { onSuccess: () => notice(message), onError: noticeFault });
  }

  return (
    <div className={styles.choice}>
      <Select
        className={styles.select}
        label={label}
        data={choicesOf(executors, me.org.id, fallback, chosen)}
        searchable={executors.length > 8}
        allowDeselect={false}
        disabled={set.isPending}
        value={chosen ?? DEFAULT}
        onChange={(value) => choose(value || null)}
      />
      {chosen !== null && (
        <Button variant="default" loading={set.isPending} onClick={() => choose(null)}>
          {t("models.reset")}
        </Button>
      )}
    </div>
  );
}
