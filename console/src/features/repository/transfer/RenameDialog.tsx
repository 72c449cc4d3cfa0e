/** Asks for a new name of a file or folder. */

import { Button, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";

import type { Entry } from "../browser/entries";
import { stemOf } from "../naming";

export function RenameDialog({ entry, onRename, onClose }: { entry: Entry; onRename: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState(entry.name);
  const input = useRef<HTMLInputElement>(null);
  const wanted = name.trim();
  const wrong = wanted === "." || wanted === ".." || wanted.includes("/");
  const same = wanted === entry.name || wanted === "";
  // The extension is rarely what someone wants to change.
  useEffect(() => {
    const timer = setTimeout(() => input.current?.setSelectionRange(0, entry.isFolder ? entry.name.length : stemOf(entry.name).length));
    return () => clearTimeout(timer);
  }, [entry]);
  return (
    <Dialog title={t("files.rename.title", { name: entry.name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (wrong || same) return;
          onClose();
          onRename(wanted);
        }}
      >
        <TextInput
          ref={input}
          label={t("files.rename.name")}
          error={wrong && t("files.rename.wrong")}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" disabled={wrong || same}>
            {t("files.rename")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
