/** Which team one acts in, and a way into another. */

import { Menu, UnstyledButton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCheck, IconSelector } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";

import { answer, api, Refusal } from "@/api/client";
import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";

import { useForgetEverything, useSession } from "../session";
import { Mark } from "./Mark";
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
        <UnstyledButton className={styles.button} aria-label={t("shell.team", { team: me.team.name, company: me.org.name })}>
          <Mark />
          <span className={styles.names}>
            <b>{me.team.name}</b>
            <span>{brand.title === "Teamspace" ? me.org.name : brand.title}</span>
          </span>
          <IconSelector aria-hidden size={15} className={styles.arrow} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("shell.teams")}</Menu.Label>
        {me.teams.map((seat) => (
          <Menu.Item
            key={seat.team_id}
            disabled={me.credential !== "session" && seat.team_id !== me.team.id}
            leftSection={seat.team_id === me.team.id ? <IconCheck aria-hidden size={15} /> : <span className={styles.gap} />}
            onClick={() => void enter(seat.team_id)}
          >
            {seat.name} <span className="muted">{t(`role.${seat.role}`)}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
