/** Confirms revoking a key. */

import { ago, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";
import { Time } from "@/ui/Time";

import { useKeyChanges, type AccessKey } from "./queries";

export function RevokeDialog({ target, onClose }: { target: AccessKey; onClose: () => void }) {
  const { revoke } = useKeyChanges();
  const { id, name, last_used_at: used } = target;

  async function perform(): Promise<void> {
    await revoke(id);
    notice(t("connect.revoke.done", { name }));
  }

  return (
    <ConfirmDialog
      title={t("connect.revoke.title", { name })}
      confirm={t("connect.revoke.named", { name })}
      perform={perform}
      onClose={onClose}
    >
      <p>{t("connect.revoke.words")}</p>
      <p className="muted">
        {used ? <Time at={used}>{t("connect.revoke.used", { when: ago(used) })}</Time> : t("connect.revoke.unused")}
      </p>
    </ConfirmDialog>
  );
}
