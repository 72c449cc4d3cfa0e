/** Confirmation before a destructive action: names the item and the consequences. */

import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { t } from "@/i18n";

import { Dialog, DialogActions } from "./Dialog";
import { Fault } from "./forms";

interface Props {
  title: string;
  /** Label of the confirm button. */
  confirm: string;
  /** Label of the cancel button. */
  dismiss?: string;
  perform: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

export function ConfirmDialog({ title, confirm, dismiss, perform, onClose, children }: Props) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);

  async function go(): Promise<void> {
    setBusy(true);
    setFault(null);
    try {
      await perform();
      onClose();
    } catch (refusal) {
      setFault(refusal);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Fault fault={fault} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {dismiss ?? t("action.cancel")}
        </Button>
        <Button color="danger" loading={busy} onClick={() => void go()}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
