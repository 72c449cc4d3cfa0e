/** Confirms retiring an executor: what stops, and what happens to its jobs. */

import type { Executor } from "@/api/executors";
import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";

import { useRetire } from "./queries";

export function RetireDialog({ executor, onClose }: { executor: Executor; onClose: () => void }) {
  const { id, name, running } = executor;
  const retire = useRetire();

  async function perform(): Promise<void> {
    await retire.mutateAsync(id);
    notice(t("executors.retire.done", { name }));
  }

  return (
    <ConfirmDialog title={t("executors.retire.title", { name })} confirm={t("executors.retire.named", { name })} perform={perform} onClose={onClose}>
      <p>{t("executors.retire.words")}</p>
      <p>{t("executors.retire.running", { count: running })}</p>
      <p className="muted">{t("executors.retire.waiting")}</p>
    </ConfirmDialog>
  );
}
