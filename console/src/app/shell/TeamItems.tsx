/** The person's teams, to change to another. */

import { Menu } from "@mantine/core";
import { Suspense, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { lazily } from "@/ui/lazily";
import { LateMenu } from "@/ui/late/LateMenu";
import type { Late } from "@/ui/late/useLate";

const ChangingTeam = lazily(() => import("./ChangingTeam"));

export default function TeamItems({ late }: { late: Late }) {
  const { me } = useSession();
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <>
      <LateMenu late={late} width={260} position="bottom-start">
        <Menu.Label>{t("shell.teams")}</Menu.Label>
        <Menu.RadioGroup value={me.team.id} onChange={setChosen}>
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
      <Suspense>{chosen && <ChangingTeam key={chosen} teamId={chosen} onClose={() => setChosen(null)} />}</Suspense>
    </>
  );
}
