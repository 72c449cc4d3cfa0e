/** A prompt: its text, what goes with it, and a form to edit it, which begins a branch. */

import { ActionIcon, Button, Textarea, Tooltip } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useNames } from "@/ui/names";
import { Attached } from "@/ui/turns/Attached";
import { textOf } from "@/ui/turns/content";
import type { Content } from "@/ui/turns/shapes";

import type { Turn } from "../api";
import { withText } from "../content";
import { Siblings } from "./Siblings";
import styles from "./Thread.module.css";

interface Props {
  turn: Turn;
  siblings: Turn[];
  mayAsk: boolean;
  onSwitch: (id: string) => void;
  /** Calls back when the edited prompt is being answered. */
  onEdit: (content: Content, done: () => void) => void;
}

export function PromptTurn({ turn, siblings, mayAsk, onSwitch, onEdit }: Props) {
  const [isEditing, setIsEditing] = useState(false);
  const { me } = useSession();
  const names = useNames();
  const text = textOf(turn.content);
  const author = turn.author !== me.user.id && turn.author;
  return (
    <li className={styles.prompt} aria-label={t("chat.prompt")}>
      <Attached content={turn.content} end />
      {isEditing ? (
        <Edit text={text} mayAsk={mayAsk} onCancel={() => setIsEditing(false)} onSend={(words) => onEdit(withText(turn.content, words), () => setIsEditing(false))} />
      ) : (
        <div className={styles.said}>
          {mayAsk && (
            <Tooltip label={t("chat.edit")} openDelay={300}>
              <ActionIcon variant="subtle" color="gray" size={26} aria-label={t("chat.edit")} onClick={() => setIsEditing(true)}>
                <IconPencil aria-hidden size={15} />
              </ActionIcon>
            </Tooltip>
          )}
          {text && <div className={styles.bubble} dir="auto">{text}</div>}
        </div>
      )}
      {(author || siblings.length > 1) && (
        <div className={styles.row}>
          {author && <span>{names.of(author)}</span>}
          <Siblings turn={turn} siblings={siblings} onSwitch={onSwitch} />
        </div>
      )}
    </li>
  );
}

interface EditProps {
  text: string;
  mayAsk: boolean;
  onCancel: () => void;
  onSend: (text: string) => void;
}

function Edit({ text, mayAsk, onCancel, onSend }: EditProps) {
  const [words, setWords] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
    // Only when the form appears.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <form
      className={styles.editing}
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim()) onSend(words.trim());
      }}
    >
      <Textarea
        autosize
        minRows={2}
        maxRows={14}
        aria-label={t("chat.edit")}
        description={t("chat.edit.words")}
        value={words}
        ref={field}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            onCancel();
          }
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }
        }}
      />
      <div className={styles.buttons}>
        <Button variant="default" size="compact-md" onClick={onCancel}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" size="compact-md" disabled={!mayAsk || words.trim() === ""}>
          {t("chat.send")}
        </Button>
      </div>
    </form>
  );
}
