/** Declines a prospect, with a note for the team. */

import { Button, Textarea } from "@mantine/core";
import { useState, type KeyboardEvent } from "react";

import { t } from "@/i18n";

import styles from "./Detail.module.css";

const LONGEST = 2_000;

interface Props {
  sending: boolean;
  onSend: (note: string) => void;
  onCancel: () => void;
}

export function DeclineForm({ sending, onSend, onCancel }: Props) {
  const [note, setNote] = useState("");

  function hear(event: KeyboardEvent): void {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSend(note.trim());
    else return;
    event.preventDefault();
  }

  return (
    <form
      className={styles.note}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(note.trim());
      }}
    >
      <Textarea
        label={t("prospects.note")}
        description={t("prospects.note.hint")}
        autosize
        minRows={2}
        maxLength={LONGEST}
        autoFocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        onKeyDown={hear}
      />
      <div className={styles.buttons}>
        <Button type="submit" loading={sending}>
          {t("prospects.decline")}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
