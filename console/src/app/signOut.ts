/** The way out, from the menu and from the palette: wished for here, and done by the frame, which knows who goes. */

import { api } from "@/api/client";
import { token } from "@/api/token";
import { createOpening } from "@/ui/opening";

export const signingOut = createOpening();

export async function endSession(): Promise<void> {
  // A token that somebody pasted in is not a session: the server refuses, it is forgotten here and stays valid.
  await api.POST("/api/logout").catch(() => undefined);
  token.signOut();
}
