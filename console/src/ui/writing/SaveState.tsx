/** The word in the corner: whether what is written is saved. Only what matters is said aloud. */

import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCloudOff, IconDeviceFloppy, IconPencil, type Icon } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import { t } from "@/i18n";

import styles from "./SaveState.module.css";
import type { Snapshot, Word } from "./writing";

const PICTURES: Record<Word, Icon> = {
  new: IconPencil,
  editing: IconPencil,
  saving: IconDeviceFloppy,
  saved: IconCircleCheck,
  offline: IconCloudOff,
  refused: IconAlertTriangle,
  conflict: IconAlertTriangle,
};

function wordsOf({ word, kept, version }: Snapshot): string {
  if (!kept && (word === "offline" || word === "editing")) return t(`writing.save.${word}.lost`);
  return t(`writing.save.${word}`, { version });
}

const ALOUD = new Set<Word>(["saved", "offline", "refused", "conflict"]);

interface Props {
  now: Snapshot;
  mayWrite: boolean;
  onConflict: () => void;
}

export function SaveState({ now, mayWrite, onConflict }: Props) {
  const Picture = PICTURES[now.word];
  const words = wordsOf(now);
  if (!mayWrite && now.word === "saved") return <span className={styles.state}>{t("writing.save.read", { version: now.version })}</span>;
  const content = (
    <>
      <Picture aria-hidden size={15} stroke={1.8} />
      <span>{words}</span>
    </>
  );
  return (
    <>
      {now.word === "conflict" ? (
        <UnstyledButton className={styles.state} data-word={now.word} onClick={onConflict}>
          {content}
        </UnstyledButton>
      ) : (
        <span className={styles.state} data-word={now.word}>
          {content}
        </span>
      )}
      <Aloud word={now.word} words={words} />
    </>
  );
}

/** What changed for the writer: not every save, but that they are saved again after they were not. */
function Aloud({ word, words }: { word: Word; words: string }) {
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    if (ALOUD.has(word)) setSpoken(word === "saved" ? t("action.saved") : words);
  }, [word, words]);
  return (
    <span className="sr-only" role="status">
      {spoken}
    </span>
  );
}
