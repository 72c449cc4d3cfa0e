/** Languages, and below them source and result side by side. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { languageName, t } from "@/i18n";
import { LanguageSelect } from "@/ui/languages/LanguageSelect";

import styles from "./Translate.module.css";
import type { Work } from "./work";

interface Props {
  work: Work;
  /** The language that the model found. */
  detected: string | null;
  /** Undefined if there's nothing to swap. */
  onSwap?: () => void;
  source: ReactNode;
  sourceFoot: ReactNode;
  result: ReactNode;
  resultFoot: ReactNode;
}

const AUTO = "auto";

export function Panes({ work, detected, onSwap, source, sourceFoot, result, resultFoot }: Props) {
  const { draft, changeDraft } = work;
  const auto = { value: AUTO, label: detected ? t("translate.result.detected", { language: languageName(detected) }) : t("translate.source.auto") };
  return (
    <>
      <div className={styles.languages}>
        <div className={styles.from}>
          <LanguageSelect
            className={styles.language}
            aria-label={t("translate.source")}
            other={auto}
            value={draft.source || AUTO}
            onChange={(code) => changeDraft({ source: code === AUTO ? "" : code })}
          />
          <Tooltip label={t("translate.swap")} openDelay={300}>
            <ActionIcon variant="default" size={36} aria-label={t("translate.swap")} disabled={!onSwap} onClick={onSwap}>
              <IconArrowsExchange aria-hidden size={17} />
            </ActionIcon>
          </Tooltip>
        </div>
        <LanguageSelect
          className={styles.language}
          aria-label={t("translate.target")}
          placeholder={t("translate.target.choose")}
          value={draft.target || null}
          onChange={(target) => changeDraft({ target })}
        />
      </div>
      <div className={styles.panes}>
        <div className={styles.pane}>
          {source}
          <div className={styles.foot}>{sourceFoot}</div>
        </div>
        <div className={styles.pane}>
          {result}
          <div className={styles.foot}>{resultFoot}</div>
        </div>
      </div>
    </>
  );
}
