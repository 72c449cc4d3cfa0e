/** The start of settings: on a phone the menu, elsewhere its first screen, since the menu is in the rail. */

import { useMediaQuery } from "@mantine/hooks";
import { Navigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";

import { useSettingsGroups } from "../navGroups";
import { SettingsMenu } from "./SettingsMenu";

export default function SettingsIndex() {
  const isPhone = useMediaQuery("(max-width: 720px)", undefined, { getInitialValueInEffect: false });
  const first = useSettingsGroups()[0]?.screens[0];
  if (!isPhone && first) return <Navigate to={first.path} replace />;
  return (
    <Page title={t("settings.title")}>
      <SettingsMenu asPage />
    </Page>
  );
}
