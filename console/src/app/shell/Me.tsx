/** Oneself: the account, the theme, and the way out. */

import { Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { api } from "@/api/client";
import { token } from "@/api/token";
import { t } from "@/i18n";

import { useForgetEverything, useSession } from "../session";
import styles from "./Me.module.css";
import { RailButton } from "./RailButton";

const SCHEMES = [
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
  { value: "auto", icon: IconDeviceDesktop },
] as const;

export function Me() {
  const { me } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu width={230} position="top-start">
      <Menu.Target>
        <RailButton>
          <span className={styles.face} aria-hidden>
            {initials(me.user.display_name)}
          </span>
          <span className={styles.name}>{me.user.display_name}</span>
        </RailButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<IconUser aria-hidden size={15} />}>
          {t("account.title")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("scheme.title")}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {SCHEMES.map(({ value, icon: Picture }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Picture aria-hidden size={15} />}>
              {t(`scheme.${value}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout aria-hidden size={15} />} onClick={() => void signOut()}>
          {t("session.end")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function useSignOut(): () => Promise<void> {
  const { me } = useSession();
  const forget = useForgetEverything();
  return async () => {
    // A token that somebody pasted in is not a session: it is forgotten here and stays valid.
    if (me.credential === "session") await api.POST("/api/logout").catch(() => undefined);
    token.signOut();
    await forget();
  };
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return (words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : name.slice(0, 2)).toUpperCase();
}
