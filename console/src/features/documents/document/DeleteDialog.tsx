/** Deletes a document: to the trash at once, or for good after a question. */

import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Deleting } from "@/ui/trash/Deleting";
import { OF_ITEM } from "@/ui/versions/address";
import type { Writing } from "@/ui/writing/writing";

import type { Address } from "../filters";
import { useDeleteDocument } from "../queries";
import type { Document, DocumentText } from "../text";

interface Props {
  document: Document;
  writing: Writing<DocumentText>;
  onClose: () => void;
}

export function DeleteDialog({ document, writing, onClose }: Props) {
  const go = useNavigate();
  const remove = useDeleteDocument(document.id);
  async function perform(): Promise<void> {
    await writing.flush();
    await remove.mutateAsync(writing.snapshot.version);
    writing.forget();
    await go({ to: "/documents", search: (at: Address) => ({ ...at, ...OF_ITEM }) });
  }
  return (
    <Deleting
      id={document.id}
      perform={perform}
      deleted={t("documents.deleted", { title: document.title })}
      title={t("documents.delete.title", { title: document.title })}
      confirm={t("documents.delete")}
      onClose={onClose}
    >
      <p>{t("documents.delete.words", { count: document.version })}</p>
      {document.visibility === "team" && <p>{t("documents.delete.team")}</p>}
    </Deleting>
  );
}
