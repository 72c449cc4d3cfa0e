/** Signing out: what is not saved is saved first, and what cannot be is deleted from this browser only if that is wanted. */

import { useEffect, useEffectEvent, useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { forgetDrafts, hasDrafts } from "@/ui/writing/drafts";
import { saveAll } from "@/ui/writing/open";

import { useSession } from "../session";
import { endSession, signingOut } from "../signOut";

export function SigningOut() {
  return signingOut.useOpened() ? <Leaving /> : null;
}

function Leaving() {
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
