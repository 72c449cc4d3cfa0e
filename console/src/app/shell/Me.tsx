/** Oneself: the account, the theme, and the way out. */

import { Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import { useSession } from "../session";
import { signingOut } from "../signOut";
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
        <Menu.Item leftSection={<IconLogout aria-hidden size={15} />} onClick={signingOut.open}>
          {t("session.end")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  return (words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : name.slice(0, 2)).toUpperCase();
}
