/** The number of a source within a text: opens what it quotes. */

import { UnstyledButton } from "@mantine/core";

import { t } from "@/i18n";

import type { Citation } from "../api";
import styles from "./Sources.module.css";

export function CitationMark({ citation: { number, source, verified }, onOpen }: { citation: Citation; onOpen: () => void }) {
  const label = t(verified ? "chat.source.open" : "chat.source.open.unverified", { number, title: source?.title ?? t("chat.source.none") });
  return (
    <UnstyledButton className={styles.mark} data-unverified={!verified || undefined} aria-label={label} title={label} onClick={onOpen}>
      {verified ? number : `${number}?`}
    </UnstyledButton>
  );
}
