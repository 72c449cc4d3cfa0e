/** Edit conflict: keep mine, keep theirs, or merge. Nothing is saved or lost before a choice. */

import { Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";

import { ago, t } from "@/i18n";
import { useFocusBack } from "@/ui/Dialog";
import { Time } from "@/ui/Time";

import type { Written } from "../text";
import type { Conflict, Writing } from "../writing";
import { Choose } from "./Choose";
import styles from "./ConflictDialog.module.css";
import { Merge } from "./Merge";

interface Props {
  conflict: Conflict;
  mine: Written;
  writing: Writing;
  onClose: () => void;
}

export function ConflictDialog({ conflict, mine, writing, onClose }: Props) {
  const [merges, setMerges] = useState(false);
  useFocusBack();
  const isSmall = useMediaQuery("(max-width: 720px)");
  const { theirs } = conflict;
  const finish = (act: () => void) => (): void => {
    act();
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("writing.conflict.title", { title: theirs.title })}
      size={1080}
      fullScreen={isSmall}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": t("writing.conflict.later") }}
      returnFocus={false}
      transitionProps={{ duration: 120 }}
      classNames={{ content: styles.content, header: styles.header, title: styles.title, body: styles.dialog }}
    >
      <p className={styles.intro}>
        {merges ? (
          t("writing.conflict.merge.intro")
        ) : (
          <Time at={theirs.updated_at}>{t("writing.conflict.intro", { version: theirs.version, when: ago(theirs.updated_at) })}</Time>
        )}
      </p>
      {merges ? (
        <Merge
          conflict={conflict}
          mine={mine}
          onBack={() => setMerges(false)}
          onMerged={(text) => finish(() => writing.settle(text))()}
        />
      ) : (
        <Choose
          mine={mine}
          theirs={theirs}
          onMine={finish(() => writing.settle(mine))}
          onTheirs={finish(() => writing.takeTheirs())}
          onMerge={() => setMerges(true)}
        />
      )}
    </Modal>
  );
}
