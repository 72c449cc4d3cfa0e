/** A new folder is only a path to upload to: others see it once it contains a file. */

import { Button, TextInput } from "@mantine/core";
import { IconFolderPlus } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { useCommand } from "@/ui/commands";
import { Dialog, DialogActions } from "@/ui/Dialog";

import { useGo } from "../place";
import { depart } from "./arrival";

export function NewFolder({ folder }: { folder: string }) {
  const [opened, setOpened] = useState(false);
  useCommand("folder", () => setOpened(true));
  return (
    <>
      <Button variant="default" leftSection={<IconFolderPlus aria-hidden size={15} />} onClick={() => setOpened(true)}>
        {t("files.folder.new")}
      </Button>
      {opened && <Naming folder={folder} onClose={() => setOpened(false)} />}
    </>
  );
}

function Naming({ folder, onClose }: { folder: string; onClose: () => void }) {
  const [name, setName] = useState("");
  const go = useGo();
  const parts = name.split("/").map((part) => part.trim()).filter(Boolean);
  const wrong = parts.some((part) => part === "." || part === "..");
  return (
    <Dialog title={t("files.folder.new")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (parts.length === 0 || wrong) return;
          onClose();
          const made = `${folder}${parts.join("/")}/`;
          depart({ folder: made });
          go({ in: made });
        }}
      >
        <TextInput
          label={t("files.folder.name")}
          description={t("files.folder.hint")}
          error={wrong && t("files.folder.wrong")}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" disabled={parts.length === 0 || wrong}>
            {t("files.folder.open")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
