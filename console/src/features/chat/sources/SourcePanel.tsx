/** What an answer quotes: the passage in that version of its source, with the quote marked and in view. */

import { IconAlertTriangle } from "@tabler/icons-react";

import { t } from "@/i18n";
import { PassagePanel, WholeFile, WholeNote } from "@/ui/passage/PassagePanel";

import type { Citation, Source } from "../api";
import { useSourceText } from "../queries";
import styles from "./Sources.module.css";

export function SourcePanel({ citation, onClose }: { citation: Citation; onClose: () => void }) {
  const { source, verified } = citation;
  const content = useSourceText(source);
  return (
    <PassagePanel
      title={source?.title ?? t("chat.source.none")}
      quoted={citation}
      version={source?.version}
      content={content}
      open={source && <Whole source={source} quote={citation.quote} />}
      lost={source?.type === "note" ? t("chat.source.older") : undefined}
      onClose={onClose}
    >
      {!verified && (
        <p className={styles.why}>
          <IconAlertTriangle aria-hidden size={15} />
          {whyOf(citation)}
        </p>
      )}
    </PassagePanel>
  );
}

const REASONS = ["no_source", "not_readable", "not_found", "too_short"] as const;

function whyOf({ reason }: Citation): string {
  const known = REASONS.find((one) => one === reason);
  return known ? t(`chat.source.why.${known}`) : t("chat.source.why");
}

function Whole({ source: { type, id, version }, quote }: { source: Source; quote: string }) {
  return type === "note" ? <WholeNote id={id} /> : <WholeFile id={id} version={version} quote={quote} />;
}
