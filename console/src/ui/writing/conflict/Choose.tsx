/** Mine and theirs side by side, each with a copy button, and the three ways to resolve the conflict. */

import { Button, CopyButton } from "@mantine/core";
import { IconCopy, IconGitMerge } from "@tabler/icons-react";

import { t } from "@/i18n";

import { linesOf } from "../merge";
import type { Written } from "../text";
import { compare } from "./compare";
import styles from "./ConflictDialog.module.css";
import { SideBySide, SIGNS } from "./SideBySide";

interface Props {
  mine: Written;
  theirs: Written;
  onMine: () => void;
  onTheirs: () => void;
  onMerge: () => void;
}

export function Choose({ mine, theirs, onMine, onTheirs, onMerge }: Props) {
  const whole = (text: Written): string => `${text.title}\n\n${text.body}`;
  return (
    <>
      <div className={styles.sheet}>
        <div className={styles.heads}>
          <Side sign={SIGNS.mine} name={t("writing.conflict.mine")} copy={t("writing.conflict.copy.mine")} text={whole(mine)} />
          <Side sign={SIGNS.theirs} name={t("writing.conflict.theirs")} copy={t("writing.conflict.copy.theirs")} text={whole(theirs)} />
        </div>
        <SideBySide rows={compare(linesOf(whole(mine)), linesOf(whole(theirs)))} />
      </div>
      <div className={styles.actions}>
        <Button variant="default" onClick={onTheirs}>
          {t("writing.conflict.take")}
        </Button>
        <Button variant="default" onClick={onMine}>
          {t("writing.conflict.keep")}
        </Button>
        <Button data-autofocus leftSection={<IconGitMerge aria-hidden size={15} />} onClick={onMerge}>
          {t("writing.conflict.merge")}
        </Button>
      </div>
    </>
  );
}

function Side({ sign, name, copy, text }: { sign: string; name: string; copy: string; text: string }) {
  return (
    <div className={styles.side}>
      <span>
        <span className={styles.sign} aria-hidden>
          {sign}
        </span>{" "}
        {name}
      </span>
      <CopyButton value={text}>
        {({ copied, copy: perform }) => (
          <Button variant="subtle" size="compact-xs" leftSection={<IconCopy aria-hidden size={13} />} aria-label={copy} onClick={perform}>
            {copied ? t("action.copied") : t("action.copy")}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
