/** Confirms removing a person, or leaving the team: what stops and what stays. */

import { t } from "@/i18n";
import { useForgetEverything, useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";

import { useMemberChanges, type Member } from "./queries";

export function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { me } = useSession();
  const { remove } = useMemberChanges();
  const forget = useForgetEverything();
  const name = member.display_name;
  const team = me.team.name;
  const own = member.user_id === me.user.id;

  async function perform(): Promise<void> {
    await remove(member.user_id);
    if (own) await forget();
    else notice(t("members.remove.done", { name }));
  }

  return (
    <ConfirmDialog
      title={own ? t("members.leave.title", { team }) : t("members.remove.title", { name, team })}
      confirm={own ? t("members.leave.do") : t("members.remove.do")}
      perform={perform}
      onClose={onClose}
    >
      <p>{own ? t("members.leave.words") : t("members.remove.words")}</p>
      {!own && <p className="muted">{t("members.remove.stays")}</p>}
    </ConfirmDialog>
  );
}
