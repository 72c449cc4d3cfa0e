/** File preview, as far as the browser can show it safely; otherwise a download. */

import { IconEyeOff } from "@tabler/icons-react";
import { Suspense, useEffect, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";
import { bytes } from "@/ui/quantities";
import { Empty, Failed, Loading } from "@/ui/states";

import { kindOf, languageOf, type Shown } from "../kinds";
import { useBytes } from "../queries";
import styles from "./Object.module.css";
import { Table } from "./Table";
import { useHighlight } from "./useHighlight";

const Markdown = lazily<{ text: string }>(() => import("@/ui/markdown/Markdown").then((module) => ({ default: module.Markdown })));

interface Props {
  id: string;
  filename: string;
  version: number;
  size: number;
  contentType: string;
}

/** Larger files aren't previewed. */
const LARGEST: Record<Shown, number> = {
  image: 25_000_000, pdf: 50_000_000, markdown: 500_000, text: Infinity, table: Infinity, audio: 200_000_000, video: 200_000_000,
};
/** Of these, the beginning is enough. */
const BEGINNING: Partial<Record<Shown, number>> = { text: 500_000, table: 2_000_000 };

export function Preview({ id, filename, version, size, contentType }: Props) {
  const { shown } = kindOf(contentType);
  const fits = shown !== undefined && size <= LARGEST[shown];
  const beginning = shown && BEGINNING[shown];
  const isCut = beginning !== undefined && size > beginning;
  const content = useBytes(id, version, fits && size > 0, isCut ? beginning : undefined);
  if (!shown) return <Nothing title={t("files.preview.none")}>{t("files.preview.none.words")}</Nothing>;
  if (!fits) return <Nothing title={t("files.preview.large")}>{t("files.preview.large.words", { size: bytes(size) })}</Nothing>;
  if (size === 0) return <Nothing title={t("files.preview.empty")} />;
  if (content.isPending) return <Loading />;
  if (content.isLoadingError) return <Failed error={content.error} again={() => void content.refetch()} />;
  const blob = content.data;
  switch (shown) {
    case "image":
      return <Image blob={blob} contentType={contentType} name={filename} />;
    case "pdf":
      return <Pdf blob={blob} name={filename} />;
    case "audio":
    case "video":
      return <Media blob={blob} contentType={contentType} name={filename} isVideo={shown === "video"} />;
    case "table":
      return <Words blob={blob}>{(text) => <Table text={text} whole={!isCut} />}</Words>;
    case "markdown":
      return <Words blob={blob}>{(text) => <Rendered text={text} />}</Words>;
    case "text":
      return <Words blob={blob}>{(text) => <Plain text={text} filename={filename} contentType={contentType} cut={isCut ? blob.size : undefined} />}</Words>;
  }
}

function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Empty title={title} icon={IconEyeOff}>
      {children}
    </Empty>
  );
}

/** Object URL of the fetched content, forced to the given type. */
function useAddress(blob: Blob, type: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob, type]);
  return address;
}

function Image({ blob, contentType, name }: { blob: Blob; contentType: string; name: string }) {
  const address = useAddress(blob, contentType);
  const [broken, setBroken] = useState(false);
  if (broken) return <Nothing title={t("files.preview.broken")}>{t("files.preview.none.words")}</Nothing>;
  return address && <img className={styles.image} src={address} alt={t("files.preview.of", { name })} onError={() => setBroken(true)} />;
}

/** The browser's PDF viewer, if it has one. */
function Pdf({ blob, name }: { blob: Blob; name: string }) {
  const address = useAddress(blob, "application/pdf");
  if (!navigator.pdfViewerEnabled) return <Nothing title={t("files.preview.pdf")}>{t("files.preview.none.words")}</Nothing>;
  return address && <iframe className={styles.pdf} src={`${address}#navpanes=0&view=FitH`} title={t("files.preview.of", { name })} />;
}

/** The whole file is here, so any place in it can be played at once. */
function Media({ blob, contentType, name, isVideo }: { blob: Blob; contentType: string; name: string; isVideo: boolean }) {
  const address = useAddress(blob, contentType);
  const [broken, setBroken] = useState(false);
  if (broken) return <Nothing title={t("files.preview.unplayable")}>{t("files.preview.none.words")}</Nothing>;
  if (!address) return null;
  const shared = { src: address, controls: true, preload: "metadata", "aria-label": t("files.preview.of", { name }), onError: () => setBroken(true) } as const;
  // People's own recordings have no captions.
  // eslint-disable-next-line jsx-a11y/media-has-caption
  return isVideo ? <video className={styles.video} {...shared} /> : <audio className={styles.audio} {...shared} />;
}

function Words({ blob, children }: { blob: Blob; children: (text: string) => ReactNode }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void blob.text().then((words) => current && setText(words));
    return () => void (current = false);
  }, [blob]);
  return text === null ? <Loading /> : children(text);
}

function Rendered({ text }: { text: string }) {
  return (
    <article className={styles.page}>
      <Suspense fallback={<Loading />}>
        <Markdown text={text} />
      </Suspense>
    </article>
  );
}

interface PlainProps {
  text: string;
  filename: string;
  contentType: string;
  /** Bytes that are shown, if not all are. */
  cut?: number;
}

function Plain({ text, filename, contentType, cut }: PlainProps) {
  const language = languageOf(filename, contentType);
  const highlight = useHighlight(language !== undefined);
  return (
    <>
      {cut !== undefined && <p className={styles.cut}>{t("files.preview.cut", { size: bytes(cut) })}</p>}
      {/* Scrolls by keyboard, too. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles.text} role="region" aria-label={t("files.preview.text")} tabIndex={0}>
        {language && highlight ? highlight(text, language) : text}
      </pre>
    </>
  );
}
