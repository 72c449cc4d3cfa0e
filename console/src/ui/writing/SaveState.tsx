/** Save state in the toolbar. Only important changes are announced to screen readers. */

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

function wordsOf({ word, kept }: Snapshot): string {
  if (!kept && (word === "offline" || word === "editing")) return t(`writing.save.${word}.lost`);
  return t(`writing.save.${word}`);
}

const ANNOUNCED = new Set<Word>(["saved", "offline", "refused", "conflict"]);

interface Props {
  now: Snapshot;
  mayWrite: boolean;
  onConflict: () => void;
}

export function SaveState({ now, mayWrite, onConflict }: Props) {
  const Picture = PICTURES[now.word];
  const words = wordsOf(now);
  if (!mayWrite && now.word === "saved") return <span className={styles.state}>{t("versions.version", { version: now.version })}</span>;
  const version = now.word === "saved" ? ` · ${t("writing.save.version", { version: now.version })}` : "";
  const content = (
    <>
      <Picture aria-hidden size={15} stroke={1.8} />
      <span title={words + version}>
        {words}
        <span className={styles.version}>{version}</span>
      </span>
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
      <Announcement word={now.word} words={words} />
    </>
  );
}

/** Announces state changes that matter: not every save, but the first after an unsaved state. */
function Announcement({ word, words }: { word: Word; words: string }) {
  const [spoken, setSpoken] = useState("");
  useEffect(() => {
    if (ANNOUNCED.has(word)) setSpoken(words);
  }, [word, words]);
  return (
    <span className="sr-only" role="status">
      {spoken}
    </span>
  );
}
