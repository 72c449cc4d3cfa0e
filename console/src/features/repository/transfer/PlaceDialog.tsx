/** Asks for the folder to move or copy entries to; it can be a new one. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";

import type { Entry } from "../browser/entries";
import { FolderTree } from "../tree/FolderTree";
import { intoItself, parentOf } from "./plan";
import styles from "./Transfer.module.css";

interface Props {
  deed: "move" | "copy";
  entries: readonly Entry[];
  onPlace: (folder: string) => void;
  onClose: () => void;
}

export function PlaceDialog({ deed, entries, onPlace, onClose }: Props) {
  const from = entries[0] ? parentOf(entries[0]) : "";
  const [folder, setFolder] = useState(from);
  const [name, setName] = useState("");
  const parts = name.split("/").map((part) => part.trim()).filter(Boolean);
  const wrongName = parts.some((part) => part === "." || part === "..");
  const target = folder + parts.map((part) => `${part}/`).join("");
  const itself = entries.some((entry) => entry.isFolder && intoItself(entry.key, target));
  const stays = deed === "move" && entries.every((entry) => parentOf(entry) === target);
  return (
    <Dialog title={t(`files.${deed}.title`, { count: entries.length, name: entries[0]?.name ?? "" })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (wrongName || itself || stays) return;
          onClose();
          onPlace(target);
        }}
      >
        <div className={styles.tree}>
          <FolderTree label={t("files.place.folders")} current={folder} onChoose={setFolder} first />
        </div>
        <TextInput
          label={t("files.place.new")}
          description={t("files.place.new.hint")}
          error={wrongName && t("files.folder.wrong")}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <p className={styles.target} role="status">
          {itself ? t("files.place.itself") : t("files.place.target", { folder: target || t("files.root") })}
        </p>
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" disabled={wrongName || itself || stays}>
            {t(`files.${deed}.here`)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
