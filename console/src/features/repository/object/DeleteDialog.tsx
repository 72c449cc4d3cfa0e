/** Confirms deleting a file. */

import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { notice } from "@/ui/notice";

import { folderOf } from "../place";
import { useDeleteFile, type FileObject } from "../queries";

export function DeleteDialog({ file, onClose }: { file: FileObject; onClose: () => void }) {
  const go = useNavigate();
  const remove = useDeleteFile(file);
  async function perform(): Promise<void> {
    await remove.mutateAsync();
    await go({ to: "/files", search: { in: folderOf(file.key) || undefined } });
    notice(t("files.deleted", { name: file.filename }));
  }
  return (
    <ConfirmDialog title={t("files.delete.title", { name: file.filename })} confirm={t("files.delete")} perform={perform} onClose={onClose}>
      <p>{t("files.delete.words", { count: file.version })}</p>
      {file.visibility === "team" && <p>{t("files.delete.team")}</p>}
    </ConfirmDialog>
  );
}
