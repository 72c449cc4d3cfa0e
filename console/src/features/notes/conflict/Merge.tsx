/** Both texts brought together: what only one changed is taken, what both changed is asked, and the result is one's own. */

import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";

import { LONGEST_TITLE, type NoteText } from "../text";
import { compose, linesOf, merge, type Choice, type Piece } from "../writing/merge";
import type { Conflict } from "../writing/writing";
import styles from "./ConflictDialog.module.css";
import { Places } from "./Places";

interface Props {
  conflict: Conflict;
  mine: NoteText;
  onBack: () => void;
  onMerged: (text: Pick<NoteText, "title" | "body">) => void;
}

export function Merge({ conflict: { base, theirs }, mine, onBack, onMerged }: Props) {
  const [pieces] = useState(() => merge(linesOf(base.body), linesOf(mine.body), linesOf(theirs.body)));
  const [title, setTitle] = useState(mine.title === base.title ? theirs.title : mine.title);
  const [choices, setChoices] = useState<Choice[]>([]);
  const [byHand, setByHand] = useState<string | null>(null);
  const body = byHand ?? compose(pieces, choices);
  const places = pieces.filter((piece): piece is Piece & { kind: "both" } => piece.kind === "both");
  const choose = (place: number, choice: Choice): void =>
    setChoices(places.map((_, index) => (index === place ? choice : (choices[index] ?? "both"))));
  return (
    <form
      className={styles.places}
      onSubmit={(event) => {
        event.preventDefault();
        onMerged({ title, body });
      }}
    >
      <p className={styles.intro} role="status">
        {t("notes.conflict.places", { count: places.length })}
      </p>
      <Places places={places} choices={choices} disabled={byHand !== null} onChoose={choose} />
      {byHand !== null && places.length > 0 && (
        <p className={styles.again}>
          {t("notes.conflict.by_hand")}
          <Button size="compact-sm" variant="default" onClick={() => setByHand(null)}>
            {t("notes.conflict.again")}
          </Button>
        </p>
      )}
      <TextInput
        label={t("notes.field.title")}
        description={mine.title === theirs.title ? undefined : t("notes.conflict.titles", { mine: mine.title, theirs: theirs.title })}
        maxLength={LONGEST_TITLE}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Textarea
        className={styles.result}
        label={t("notes.conflict.result")}
        data-autofocus
        autosize
        minRows={6}
        maxRows={14}
        value={body}
        onChange={(event) => setByHand(event.currentTarget.value)}
      />
      <div className={styles.actions}>
        <Button variant="default" onClick={onBack}>
          {t("action.back")}
        </Button>
        <Button type="submit">{t("notes.conflict.save")}</Button>
      </div>
    </form>
  );
}
