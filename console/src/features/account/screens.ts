/** The rows of one's own account: a screen, and what the palette can do about oneself. */

import { IconLogout, IconSunMoon, IconUser } from "@tabler/icons-react";

import { signingOut } from "@/app/signOut";
import { action, screen } from "@/app/tables";

import { switchTheme } from "./gestures";

export const accountScreens = [
  screen("/account", {
    title: "account.title",
    nav: { group: "me", icon: IconUser },
    load: () => import("./AccountScreen"),
  }),
] as const;

export const accountActions = [
  action("account.theme", { title: "account.theme", icon: IconSunMoon, perform: switchTheme }),
  action("account.sign_out", { title: "session.end", icon: IconLogout, perform: signingOut.open }),
] as const;
