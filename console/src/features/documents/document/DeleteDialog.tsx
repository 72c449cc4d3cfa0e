/** Confirms deleting a document. */

import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";
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
    await go({ to: "/documents", search: (at: Address) => ({ ...at, edit: undefined }) });
    notice(t("documents.deleted", { title: document.title }));
  }
  return (
    <ConfirmDialog title={t("documents.delete.title", { title: document.title })} confirm={t("documents.delete")} perform={perform} onClose={onClose}>
      <p>{t("documents.delete.words", { count: document.version })}</p>
      {document.visibility === "team" && <p>{t("documents.delete.team")}</p>}
    </ConfirmDialog>
  );
}
