/** Signing out: unsaved text is saved first; what can't be saved is deleted from this browser only after a question. */

import { useEffect, useEffectEvent, useState } from "react";

import { api, Refusal } from "@/api/client";
import { staying } from "@/api/staying";
import { token } from "@/api/token";
import { t } from "@/i18n";
import { signingOut } from "@/navigation/signOut";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { forgetDrafts, hasDrafts } from "@/ui/writing/drafts";
import { saveAll } from "@/ui/writing/open";

export default function SigningOut() {
  const { me } = useSession();
  const [asks, setAsks] = useState(false);

  async function end(): Promise<void> {
    signingOut.close();
    await endSession();
    forgetDrafts(me.user.id, localStorage);
  }

  const begin = useEffectEvent(async () => {
    await saveAll();
    if (hasDrafts(me.user.id, localStorage)) setAsks(true);
    else await end();
  });
  useEffect(() => void begin(), []);

  if (!asks) return null;
  return (
    <ConfirmDialog title={t("session.unsaved")} confirm={t("session.end")} perform={end} onClose={signingOut.close}>
      <p>{t("session.unsaved.words")}</p>
    </ConfirmDialog>
  );
}

async function endSession(): Promise<void> {
  // A token that somebody pasted in isn't a session: the server refuses, and it's forgotten here but stays valid.
  const told = await api.POST("/api/logout").then(
    () => true,
    (fault: unknown) => !(fault instanceof Refusal && fault.unreachable),
  );
  staying.end(told);
  token.signOut();
}
