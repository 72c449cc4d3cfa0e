/** What the palette does about oneself, outside of any screen. */

import { api } from "@/api/client";
import { token } from "@/api/token";

const SCHEME = "teamspace.scheme";

export async function signOut(): Promise<void> {
  // A token that somebody pasted in is not a session: the server refuses, it is forgotten here and stays valid.
  await api.POST("/api/logout").catch(() => undefined);
  token.signOut();
}

/** The provider of the theme hears it as it hears another tab, so that every part of the page agrees. */
export function switchTheme(): void {
  const next = document.documentElement.dataset.mantineColorScheme === "dark" ? "light" : "dark";
  localStorage.setItem(SCHEME, next);
  window.dispatchEvent(new StorageEvent("storage", { key: SCHEME, newValue: next, storageArea: localStorage }));
}
