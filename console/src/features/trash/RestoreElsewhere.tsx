/** Restores a file at another key, since its own has another file by now. */

import { Button, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";

import { useRestore, type TrashItem } from "./queries";
import { anotherKey } from "./anotherKey";
import { useToldRestored } from "./TrashTable";

export function RestoreElsewhere({ item, onClose }: { item: TrashItem; onClose: () => void }) {
  const restore = useRestore();
  const told = useToldRestored();
  const [key, setKey] = useState(anotherKey(item.key ?? item.title));
  function send(event: FormEvent): void {
    event.preventDefault();
    restore.mutate(
      { id: item.id, key },
      {
        onSuccess: (restored) => {
          told(restored);
          onClose();
        },
      },
    );
  }
  return (
    <Dialog title={t("trash.taken")} onClose={onClose}>
      <form onSubmit={send}>
        <p>{t("trash.taken.words", { key: item.key ?? "" })}</p>
        <TextInput label={t("trash.taken.key")} value={key} onChange={(event) => setKey(event.currentTarget.value)} data-autofocus required />
        <Fault fault={restore.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={restore.isPending} disabled={key.trim() === ""}>
            {t("trash.restore")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
