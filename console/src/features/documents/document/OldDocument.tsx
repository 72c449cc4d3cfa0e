/** An old version of a document: read, or compared with another. */

import { Suspense } from "react";

import { t } from "@/i18n";
import { lazily } from "@/ui/lazily";
import { Markdown } from "@/ui/markdown/Markdown";
import { Marked } from "@/ui/passage/Marked";
import { rightsOn } from "@/ui/sharing/rights";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";
import { pairOf, VIEWS, type Shown } from "@/ui/versions/address";
import { OldVersion } from "@/ui/versions/OldVersion";
import open from "@/ui/writing/Open.module.css";

import { useDocumentAt, useRestore } from "../queries";
import { wholeOf, type Document } from "../text";

const Compared = lazily(() => import("@/ui/versions/Compared"));

interface Props {
  document: Document;
  shown: Shown;
  quote?: string;
}

export function OldDocument({ document, shown, quote }: Props) {
  const old = useDocumentAt(document.id, shown.version);
  const restore = useRestore(document);
  const { data } = old;
  return (
    <>
      <OldVersion
        key={shown.version}
        shown={shown}
        newest={document.version}
        views={VIEWS}
        restore={data && rightsOn(document).write ? () => restore.mutateAsync(data) : undefined}
      />
      {shown.view !== "read" ? (
        <Changes document={document} shown={shown} />
      ) : data ? (
        <Marked quote={quote}>
          <article className={open.reading} aria-label={t("versions.version", { version: shown.version })}>
            <h1>{data.title}</h1>
            <Markdown text={data.body} />
          </article>
        </Marked>
      ) : (
        <Waiting query={old} />
      )}
    </>
  );
}

function Changes({ document: { id, version: newest }, shown }: Omit<Props, "quote">) {
  const [from, to] = pairOf(shown, newest);
  const [older, newer] = [useDocumentAt(id, from), useDocumentAt(id, to)];
  if (!older.data || !newer.data) return <Waiting query={older.isError ? older : newer} />;
  return (
    <Suspense fallback={<Text />}>
      {/* The formatted text begins with it. */}
      {shown.view === "source" && <h1 className="sr-only">{newer.data.title}</h1>}
      <Compared
        older={{ version: from, text: wholeOf(older.data) }}
        newer={{ version: to, text: wholeOf(newer.data) }}
        rendered={shown.view === "changes"}
      />
    </Suspense>
  );
}

function Waiting({ query }: { query: ReturnType<typeof useDocumentAt> }) {
  if (query.isError) return <Failed error={query.error} again={() => void query.refetch()} />;
  return <Text />;
}

const Text = () => (
  <div className={open.reading}>
    <Skeleton shape="text" />
  </div>
);
