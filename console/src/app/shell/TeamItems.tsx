/** The person's teams, to change to another. */

import { Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";

import { answer, api, Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useForgetEverything, useSession } from "@/session";
import { LateMenu } from "@/ui/late/LateMenu";
import type { Late } from "@/ui/late/useLate";

export default function TeamItems({ late }: { late: Late }) {
  const { me } = useSession();
  const forget = useForgetEverything();
  const go = useNavigate();

  async function enter(teamId: string): Promise<void> {
    try {
      await answer(api.POST("/api/profile", { body: { team_id: teamId } }));
      await forget();
      await go({ to: "/" });
    } catch (fault) {
      notifications.show({ color: "danger", message: fault instanceof Refusal ? fault.message : t("state.failed") });
    }
  }

  return (
    <LateMenu late={late} width={260} position="bottom-start">
      <Menu.Label>{t("shell.teams")}</Menu.Label>
      <Menu.RadioGroup value={me.team.id} onChange={(teamId) => void enter(teamId)}>
        {me.teams.map((seat) => (
          <Menu.RadioItem
            key={seat.team_id}
            value={seat.team_id}
            disabled={me.credential !== "session" && seat.team_id !== me.team.id}
            closeMenuOnClick
          >
            {seat.name} <span className="muted">{t(`role.${seat.role}`)}</span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </LateMenu>
  );
}
