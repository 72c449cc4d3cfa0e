/** A passage of a text in a panel beside the work: the quote is marked and in view. */

import { ActionIcon } from "@mantine/core";
import { IconExternalLink, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { placeOfObject } from "@/ui/documents";
import { Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import { passageOf, placeOf, type Quoted } from "./passage";
import styles from "./Passage.module.css";

interface TextQuery {
  data?: { text: string; version: number };
  error: unknown;
  isPending: boolean;
  isLoading: boolean;
  isError: boolean;
  refetch: () => unknown;
}

interface Props {
  title: string;
  quoted: Quoted;
  /** The version that the quote is from. */
  version?: number | null;
  content: TextQuery;
  /** A link to the whole text. */
  open?: ReactNode;
  /** Below the title and version. */
  children?: ReactNode;
  /** Instead of a text that has changed and no longer has the quote. */
  lost?: string;
  onClose: () => void;
}

export function PassagePanel({ title, quoted, version, content, open, children, lost, onClose }: Props) {
  const place = content.data && placeOf(content.data.text, quoted);
  const hasChanged = content.data !== undefined && typeof version === "number" && content.data.version !== version;
  const heading = useOpened(onClose);
  return (
    <aside className={styles.panel} aria-label={t("passage.title")}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t("passage.close")} onClick={onClose}>
            <IconX aria-hidden size={17} />
          </ActionIcon>
        </div>
        <div className={styles.facts}>
          {typeof version === "number" && <Tag>{t("versions.version", { version })}</Tag>}
          {hasChanged && <Tag tone="warning">{t("passage.changed")}</Tag>}
          {open}
        </div>
        {children}
        {!content.isPending && !place && quoted.quote && <blockquote className={styles.said}>{quoted.quote}</blockquote>}
      </header>
      {content.isLoading && <Loading />}
      {content.isError && <Failed error={content.error} again={() => void content.refetch()} />}
      {content.data && <Text text={content.data.text} place={place} lost={hasChanged ? lost : undefined} />}
    </aside>
  );
}

/** A link to a version of a file or document, with the passage in view. */
export function WholeFile({ id, ...passage }: { id: string; version?: number | null; quote?: string }) {
  return (
    <Link {...placeOfObject(id, passage)} className={styles.open}>
      <Whole />
    </Link>
  );
}

export function WholeNote({ id }: { id: string }) {
  return (
    <Link to="/notes/$id" params={{ id }} className={styles.open}>
      <Whole />
    </Link>
  );
}

function Whole() {
  return (
    <>
      <span>{t("passage.whole")}</span>
      <IconExternalLink aria-hidden size={13} />
    </>
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

function Text({ text, place, lost }: { text: string; place: ReturnType<typeof placeOf>; lost?: string }) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => void mark.current?.scrollIntoView({ block: "center" }), [place?.start]);
  const { before, quote, after, isCut } = passageOf(text, place);
  if (!place && lost) return <p className={styles.passage}>{lost}</p>;
  return (
    // Scrolls by keyboard, too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.passage} role="region" aria-label={t("passage.passage")} tabIndex={0}>
      {isCut.before && "… "}
      {before}
      {quote && <mark ref={mark}>{quote}</mark>}
      {after}
      {isCut.after && " …"}
    </div>
  );
}
