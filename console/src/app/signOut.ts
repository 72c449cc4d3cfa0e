/** The way out, from the menu and from the palette. */

import { api } from "@/api/client";
import { token } from "@/api/token";

export async function signOut(): Promise<void> {
  // A token that somebody pasted in is not a session: the server refuses, it is forgotten here and stays valid.
  await api.POST("/api/logout").catch(() => undefined);
  token.signOut();
}
