/** File preview, as far as the browser can show it safely; otherwise a download. */

import { IconEyeOff } from "@tabler/icons-react";
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from "react";

import { t } from "@/i18n";
import { LateMarkdown } from "@/ui/markdown/LateMarkdown";
import { bytes } from "@/ui/quantities";
import { Empty, Failed, Loading } from "@/ui/states";

import { kindOf, languageOf, type Shown } from "../kinds";
import { useBytes } from "../queries";
import styles from "./Object.module.css";
import { Table } from "./Table";
import { useAddress, type Addressed } from "./useAddress";
import { useHighlight } from "./useHighlight";

interface Props {
  id: string;
  filename: string;
  version: number;
  size: number;
  contentType: string;
}

/** Larger files aren't previewed. */
const LARGEST: Record<Shown, number> = {
  image: 100_000_000, pdf: 500_000_000, markdown: 500_000, text: Infinity, table: Infinity, audio: Infinity, video: Infinity,
};
/** Of these, the beginning is enough. */
const BEGINNING: Partial<Record<Shown, number>> = { text: 500_000, table: 2_000_000 };

export function Preview(file: Props) {
  const { shown } = kindOf(file.contentType);
  if (!shown) return <Nothing title={t("files.preview.none")}>{t("files.preview.none.words")}</Nothing>;
  if (file.size > LARGEST[shown]) return <Nothing title={t("files.preview.large")}>{t("files.preview.large.words", { size: bytes(file.size) })}</Nothing>;
  if (file.size === 0) return <Nothing title={t("files.preview.empty")} />;
  const key = `${file.id} ${file.version}`;
  switch (shown) {
    case "image":
    case "pdf":
    case "audio":
    case "video":
      return <Loaded key={key} file={file} shown={shown} />;
    default:
      return <Read key={key} file={file} shown={shown} />;
  }
}

/** What the browser loads by itself, as much of it as it needs. */
function Loaded({ file, shown }: { file: Props; shown: "image" | "pdf" | "audio" | "video" }) {
  const from = useAddress(file.id, file.version);
  const name = t("files.preview.of", { name: file.filename });
  if (from.error) return <Failed error={from.error} again={from.again} />;
  switch (shown) {
    case "image":
      if (from.isBroken) return <Nothing title={t("files.preview.broken")}>{t("files.preview.none.words")}</Nothing>;
      return from.address ? <img key={from.round} className={styles.image} src={from.address} alt={name} onError={from.onError} onLoad={from.onLoaded} /> : <Loading />;
    case "pdf":
      if (!navigator.pdfViewerEnabled) return <Nothing title={t("files.preview.pdf")}>{t("files.preview.none.words")}</Nothing>;
      return from.address ? <iframe className={styles.pdf} src={`${from.address}#navpanes=0&view=FitH`} title={name} /> : <Loading />;
    default:
      if (from.isBroken) return <Nothing title={t("files.preview.unplayable")}>{t("files.preview.none.words")}</Nothing>;
      return <Player from={from} name={name} isVideo={shown === "video"} />;
  }
}

/** Goes on where it was when its address has ended, as after a long pause. */
function Player({ from, name, isVideo }: { from: Addressed; name: string; isVideo: boolean }) {
  const place = useRef({ at: 0, isPlaying: false });
  if (!from.address) return <Loading />;
  const shared = {
    src: from.address,
    controls: true,
    preload: "metadata",
    "aria-label": name,
    onError: ({ currentTarget: player }: SyntheticEvent<HTMLMediaElement>) => {
      if (player.currentTime > 0) place.current = { at: player.currentTime, isPlaying: !player.paused };
      from.onError();
    },
    onLoadedMetadata: ({ currentTarget: player }: SyntheticEvent<HTMLMediaElement>) => {
      from.onLoaded();
      const { at, isPlaying } = place.current;
      if (at > 0) player.currentTime = at;
      if (isPlaying) void player.play().catch(() => undefined);
      place.current = { at: 0, isPlaying: false };
    },
  } as const;
  // People's own recordings have no captions.
  // eslint-disable-next-line jsx-a11y/media-has-caption
  return isVideo ? <video key={from.round} className={styles.video} {...shared} /> : <audio key={from.round} className={styles.audio} {...shared} />;
}

/** What the console reads and shows itself. */
function Read({ file, shown }: { file: Props; shown: "markdown" | "text" | "table" }) {
  const beginning = BEGINNING[shown];
  const isCut = beginning !== undefined && file.size > beginning;
  const content = useBytes(file.id, file.version, true, isCut ? beginning : undefined);
  if (content.isPending) return <Loading />;
  if (content.isLoadingError) return <Failed error={content.error} again={() => void content.refetch()} />;
  const blob = content.data;
  switch (shown) {
    case "table":
      return <Words blob={blob}>{(text) => <Table text={text} whole={!isCut} />}</Words>;
    case "markdown":
      return <Words blob={blob}>{(text) => <Rendered text={text} />}</Words>;
    case "text":
      return <Words blob={blob}>{(text) => <Plain text={text} filename={file.filename} contentType={file.contentType} cut={isCut ? blob.size : undefined} />}</Words>;
  }
}

function Nothing({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Empty title={title} icon={IconEyeOff}>
      {children}
    </Empty>
  );
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
      <LateMarkdown text={text} />
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
