/** Account screen, and palette actions for the user. */

import { IconLogout, IconSunMoon, IconUser } from "@tabler/icons-react";

import { signingOut } from "@/navigation/signOut";
import { action, screen } from "@/navigation/tables";

import { switchTheme } from "./gestures";

export const accountScreens = [
  screen("/settings/me/account", {
    title: "account.title",
    nav: { group: "me", icon: IconUser },
    load: () => import("./AccountScreen"),
  }),
] as const;

export const accountActions = [
  action("account.theme", { title: "account.theme", icon: IconSunMoon, perform: switchTheme }),
  action("account.sign_out", { title: "session.end", icon: IconLogout, perform: signingOut.open }),
] as const;
