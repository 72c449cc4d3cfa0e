/** Changing to another team: unsaved text is saved first; what can't be saved stays a draft of the team that is left, after a question. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";

import { answer, api } from "@/api/client";
import { t } from "@/i18n";
import { useForgetEverything } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { noticeFault } from "@/ui/notice";
import { isAllSaved, isAnyAtRisk, leaveTeam, saveAll } from "@/ui/writing/open";

interface Props {
  teamId: string;
  onClose: () => void;
}

export default function ChangingTeam({ teamId, onClose }: Props) {
  const forget = useForgetEverything();
  const go = useNavigate();
  const [asks, setAsks] = useState(false);

  async function change(): Promise<void> {
    await leaveTeam(() => answer(api.POST("/api/profile", { body: { team_id: teamId } })));
    await forget();
    await go({ to: "/" });
  }

  const begin = useEffectEvent(async () => {
    await saveAll();
    if (!isAllSaved()) return setAsks(true);
    await change().catch(noticeFault);
    onClose();
  });
  useEffect(() => void begin(), []);

  if (!asks) return null;
  return (
    <ConfirmDialog title={t("shell.team.unsaved")} confirm={t("shell.team.switch")} perform={change} onClose={onClose}>
      <p>{t(isAnyAtRisk() ? "shell.team.unsaved.lost" : "shell.team.unsaved.words")}</p>
    </ConfirmDialog>
  );
}
