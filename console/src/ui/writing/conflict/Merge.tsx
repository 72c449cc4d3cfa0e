/** Merge view: non-conflicting changes are applied, conflicts ask for a choice, and the result can be edited. */

import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { rewritten } from "@/ui/markdown/endings";

import { compose, linesOf, merge, type Choice, type Piece } from "../merge";
import { LONGEST_TITLE, type Written } from "../text";
import type { Conflict } from "../writing";
import styles from "./ConflictDialog.module.css";
import { Places } from "./Places";

interface Props {
  conflict: Conflict;
  mine: Written;
  onBack: () => void;
  onMerged: (text: Pick<Written, "title" | "body">) => void;
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
        onMerged({ title, body: rewritten(theirs.body, body) });
      }}
    >
      <p className={styles.intro} role="status">
        {t("writing.conflict.places", { count: places.length })}
      </p>
      <Places places={places} choices={choices} disabled={byHand !== null} onChoose={choose} />
      {byHand !== null && places.length > 0 && (
        <p className={styles.again}>
          {t("writing.conflict.by_hand")}
          <Button size="compact-sm" variant="default" onClick={() => setByHand(null)}>
            {t("writing.conflict.again")}
          </Button>
        </p>
      )}
      <TextInput
        label={t("writing.field.title")}
        description={mine.title === theirs.title ? undefined : t("writing.conflict.titles", { mine: mine.title, theirs: theirs.title })}
        maxLength={LONGEST_TITLE}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Textarea
        className={styles.result}
        label={t("writing.conflict.result")}
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
        <Button type="submit">{t("writing.conflict.save")}</Button>
      </div>
    </form>
  );
}
