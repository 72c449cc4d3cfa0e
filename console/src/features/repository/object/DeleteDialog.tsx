/** Deletes a file: to the trash at once, or for good after a question. */

import { useNavigate } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Deleting } from "@/ui/trash/Deleting";

import { folderOf, titleOf } from "../place";
import { useDeleteFile, type FileObject } from "../queries";

export function DeleteDialog({ file, onClose }: { file: FileObject; onClose: () => void }) {
  const go = useNavigate();
  const remove = useDeleteFile(file);
  async function perform(): Promise<void> {
    await remove.mutateAsync();
    await go({ to: "/files", search: { in: folderOf(file.key) || undefined } });
  }
  const name = titleOf(file);
  return (
    <Deleting
      id={file.id}
      perform={perform}
      deleted={t("files.deleted", { name })}
      title={t("files.delete.title", { name })}
      confirm={t("files.delete")}
      onClose={onClose}
    >
      <p>{t("files.delete.words", { count: file.version })}</p>
      {file.visibility === "team" && <p>{t("files.delete.team")}</p>}
    </Deleting>
  );
}
