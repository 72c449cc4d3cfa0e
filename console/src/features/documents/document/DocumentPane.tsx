/** Detail pane of a document: loads it and shows errors. */

import { useEffect } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { MissingItem } from "@/ui/MissingItem";
import { BackToList } from "@/ui/panes/BackToList";
import { Refused } from "@/ui/states";
import { NEW } from "@/ui/writing/drafts";
import { leave, useWritingOf } from "@/ui/writing/open";
import { PageSkeleton } from "@/ui/writing/PageSkeleton";

import { useDesk, useDocument } from "../queries";
import type { Document } from "../text";
import { OpenDocument } from "./OpenDocument";

export function DocumentPane({ id }: { id: string }) {
  const { can } = useSession();
  const isNew = id === NEW;
  const document = useDocument(id, !isNew);
  if (isNew) return can("files:write") ? <Writable document={null} /> : <Refused permission="files:write" />;
  // Keep showing loaded data: unsaved text must not vanish because a refetch failed.
  if (document.data) return <Writable document={document.data} lost={document.isError ? document.error : undefined} />;
  if (document.isPending) return <PageSkeleton back={<BackToList to="/documents" />} />;
  return <MissingItem error={document.error} again={() => void document.refetch()} list="/documents" title={t("documents.title")} />;
}

function Writable({ document, lost }: { document: Document | null; lost?: unknown }) {
  const writing = useWritingOf(document, useDesk());
  useEffect(() => {
    if (document) writing.meet(document);
  }, [writing, document]);
  useEffect(() => () => void leave(writing), [writing]);
  return <OpenDocument key={writing.key} writing={writing} document={document} lost={lost} />;
}
