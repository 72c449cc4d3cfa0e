/** What an answer quotes: the passage in that version of its source, with the quote marked and in view. */

import { ActionIcon } from "@mantine/core";
import { IconAlertTriangle, IconExternalLink, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import type { Citation, Source } from "../api";
import { useSourceText } from "../queries";
import { passageOf, placeOf } from "./passage";
import styles from "./Sources.module.css";

export function SourcePanel({ citation, onClose }: { citation: Citation; onClose: () => void }) {
  const { source, quote, verified } = citation;
  const content = useSourceText(source);
  const place = content.data && placeOf(content.data.text, citation);
  const hasChanged = content.data !== undefined && typeof source?.version === "number" && content.data.version !== source.version;
  const heading = useOpened(onClose);
  return (
    <aside className={styles.panel} aria-label={t("chat.source")}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h2 ref={heading} tabIndex={-1}>
            {source?.title ?? t("chat.source.none")}
          </h2>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("chat.source.close")} onClick={onClose}>
            <IconX aria-hidden size={17} />
          </ActionIcon>
        </div>
        <div className={styles.facts}>
          {typeof source?.version === "number" && <Tag>{t("chat.source.version", { version: source.version })}</Tag>}
          {hasChanged && <Tag tone="warning">{t("chat.source.changed")}</Tag>}
          {source && <SourceLink source={source}>{t("chat.source.whole")}</SourceLink>}
        </div>
        {!verified && (
          <p className={styles.why}>
            <IconAlertTriangle aria-hidden size={15} />
            {whyOf(citation)}
          </p>
        )}
        {!content.isPending && !place && quote && <blockquote className={styles.said}>{quote}</blockquote>}
      </header>
      {content.isLoading && <Loading />}
      {content.isError && <Failed error={content.error} again={() => void content.refetch()} />}
      {content.data && <Passage text={content.data.text} place={place} isOlder={hasChanged && source?.type === "note"} />}
    </aside>
  );
}

/** The panel takes the focus, Escape closes it, and the focus goes back. */
function useOpened(onClose: () => void): React.RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      close.current();
    };
    // Before the key stops an answer.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKeyDown, { capture: true });
      if (opener?.isConnected) opener.focus({ preventScroll: true });
    };
  }, [opener]);
  return heading;
}

const REASONS = ["no_source", "not_readable", "not_found", "too_short"] as const;

function whyOf({ reason }: Citation): string {
  const known = REASONS.find((one) => one === reason);
  return known ? t(`chat.source.why.${known}`) : t("chat.source.why");
}

function SourceLink({ source: { type, id, version }, children }: { source: Source; children: ReactNode }) {
  const content = (
    <>
      <span>{children}</span>
      <IconExternalLink aria-hidden size={13} />
    </>
  );
  if (type === "note") return <Link to="/notes/$id" params={{ id }} className={styles.open}>{content}</Link>;
  return <Link to="/files/$id" params={{ id }} search={version ? { version } : {}} className={styles.open}>{content}</Link>;
}

interface PassageProps {
  text: string;
  place: ReturnType<typeof placeOf>;
  /** Only the newest text is there, and the quote may be from an older one. */
  isOlder: boolean;
}

function Passage({ text, place, isOlder }: PassageProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => void mark.current?.scrollIntoView({ block: "center" }), [place?.start]);
  const { before, quote, after, isCut } = passageOf(text, place);
  if (!place && isOlder) return <p className={styles.passage}>{t("chat.source.older")}</p>;
  return (
    // Scrolls by keyboard, too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.passage} role="region" aria-label={t("chat.source.passage")} tabIndex={0}>
      {isCut.before && "… "}
      {before}
      {quote && <mark ref={mark}>{quote}</mark>}
      {after}
      {isCut.after && " …"}
    </div>
  );
}
