/** Asks before leaving with unsaved changes. */

import { Button } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "./Dialog";

export function Leaving({ unsaved }: { unsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => unsaved,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  return (
    <Dialog title={t("branding.leave")} onClose={reset}>
      <p className="muted">{t("branding.leave.words")}</p>
      <DialogActions>
        <Button variant="default" onClick={proceed}>
          {t("branding.leave.do")}
        </Button>
        <Button data-autofocus onClick={reset}>
          {t("branding.leave.stay")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
