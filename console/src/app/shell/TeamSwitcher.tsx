/** The current team, and a menu of the others. */

import { Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconSelector } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";

import { answer, api, Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useForgetEverything, useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import { Mark } from "@/ui/Mark";

import { RailButton } from "./RailButton";
import styles from "./TeamSwitcher.module.css";

export function TeamSwitcher() {
  const { me } = useSession();
  const brand = useBrand();
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
    <Menu width={260} position="bottom-start">
      <Menu.Target>
        <RailButton>
          <Mark />
          <span className={styles.names}>
            <b>{me.team.name}</b>
            <span>{brand.title === "Teamspace" ? me.org.name : brand.title}</span>
          </span>
          <span className="sr-only">{t("shell.team.switch")}</span>
          <IconSelector aria-hidden size={15} className={styles.arrow} />
        </RailButton>
      </Menu.Target>
      <Menu.Dropdown>
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
      </Menu.Dropdown>
    </Menu>
  );
}
