/** The signed-in person: account, theme, keyboard shortcuts, sign out. */

import { Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { signingOut } from "@/navigation/signOut";
import { useSession } from "@/session";
import { initials } from "@/ui/initials";

import { keyMap } from "../keyboard";
import styles from "./AccountMenu.module.css";
import { RailButton } from "./RailButton";

const SCHEMES = [
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
  { value: "auto", icon: IconDeviceDesktop },
] as const;

export function AccountMenu() {
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
        <Menu.Item component={Link} to="/settings/me/account" leftSection={<IconUser aria-hidden size={15} />}>
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
        <Menu.Item leftSection={<IconKeyboard aria-hidden size={15} />} rightSection={<kbd>?</kbd>} onClick={keyMap.open}>
          {t("shell.keys")}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout aria-hidden size={15} />} onClick={signingOut.open}>
          {t("session.end")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
