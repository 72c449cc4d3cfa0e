/** Account, theme, keyboard shortcuts, sign out. */

import { Menu, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { signingOut } from "@/navigation/signOut";
import { LateMenu } from "@/ui/late/LateMenu";
import type { Late } from "@/ui/late/useLate";

import { keyMap } from "../keyboard";

const SCHEMES = [
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
  { value: "auto", icon: IconDeviceDesktop },
] as const;

export default function AccountItems({ late }: { late: Late }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <LateMenu late={late} width={230} position="top-start">
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
    </LateMenu>
  );
}
