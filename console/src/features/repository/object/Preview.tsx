/** File preview, as far as the browser can show it safely; otherwise a download. */

import { IconEyeOff } from "@tabler/icons-react";
import { Suspense, useEffect, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";
import { bytes } from "@/ui/quantities";
import { Empty, Failed, Loading } from "@/ui/states";

import { kindOf, type Shown } from "../kinds";
import { useBytes } from "../queries";
import styles from "./Object.module.css";

const Markdown = lazily<{ text: string }>(() => import("@/ui/markdown/Markdown").then((module) => ({ default: module.Markdown })));

interface Props {
  id: string;
  filename: string;
  version: number;
  size: number;
  contentType: string;
}

/** Larger files aren't previewed. */
const LARGEST: Record<Shown, number> = { image: 25_000_000, pdf: 50_000_000, markdown: 500_000, text: 1_000_000 };

export function Preview({ id, filename, version, size, contentType }: Props) {
  const { shown } = kindOf(contentType);
  const fits = shown !== undefined && size <= LARGEST[shown];
  const content = useBytes(id, version, fits);
  if (!shown) return <Nothing title={t("files.preview.none")}>{t("files.preview.none.words")}</Nothing>;
  if (!fits) return <Nothing title={t("files.preview.large")}>{t("files.preview.large.words", { size: bytes(size) })}</Nothing>;
  if (size === 0) return <Nothing title={t("files.preview.empty")} />;
  if (content.isPending) return <Loading />;
  if (content.isLoadingError) return <Failed error={content.error} again={() => void content.refetch()} />;
  if (shown === "image") return <Image blob={content.data} contentType={contentType} name={filename} />;
  if (shown === "pdf") return <Pdf blob={content.data} name={filename} />;
  return <Words blob={content.data} isMarkdown={shown === "markdown"} />;
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

function Words({ blob, isMarkdown }: { blob: Blob; isMarkdown: boolean }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void blob.text().then((words) => current && setText(words));
    return () => void (current = false);
  }, [blob]);
  if (text === null) return <Loading />;
  if (!isMarkdown) {
    return (
      // Scrollable by keyboard, too.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      <pre className={styles.text} role="region" aria-label={t("files.preview.text")} tabIndex={0}>
        {text}
      </pre>
    );
  }
  return (
    <article className={styles.page}>
      <Suspense fallback={<Loading />}>
        <Markdown text={text} />
      </Suspense>
    </article>
  );
}
