/** What the author is told about a text that goes back. */

import { Button, Textarea } from "@mantine/core";
import { useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";

import styles from "./Review.module.css";

const LONGEST = 1_000;

interface Props {
  name: string;
  sending: boolean;
  onSend: (note: string) => void;
  onCancel: () => void;
}

export function NoteField({ name, sending, onSend, onCancel }: Props) {
  const [note, setNote] = useState("");

  function hear(event: KeyboardEvent): void {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSend(note);
    else return;
    event.preventDefault();
  }

  return (
    <form
      className={styles.note}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(note);
      }}
    >
      <Textarea
        label={t("localization.note", { name })}
        description={t("localization.note.hint")}
        autosize
        minRows={2}
        maxLength={LONGEST}
        autoFocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        onKeyDown={hear}
      />
      <div className={styles.buttons}>
        <Button size="xs" type="submit" loading={sending}>
          {t("localization.send_back")}
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
