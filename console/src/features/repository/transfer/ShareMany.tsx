/** Shares several files with a person or team, or sets who can see them, one after another. */

import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { AddTarget } from "@/ui/sharing/AddTarget";
import { FILE_SHARING, type ShareRequest } from "@/ui/sharing/kinds";
import { VISIBILITIES } from "@/ui/visibility/VisibilityWord";
import type { Visibility } from "@/ui/writing/text";

import type { FileEntry } from "../browser/entries";
import { FILES } from "../keys";
import styles from "./Transfer.module.css";

export function ShareMany({ entries, onClose }: { entries: readonly FileEntry[]; onClose: () => void }) {
  const client = useQueryClient();
  const share = useMutation({
    mutationFn: async ({ principal_type, principal_id, capability, expires_at }: ShareRequest): Promise<Schemas["Grants"]> => {
      let last: Schemas["Grants"] = { items: [], effective: null, next_cursor: null };
      for (const { id } of entries) {
        const body = { principal_type, principal_id, capability: capability ?? "view", expires_at };
        last = await answer(api.POST("/api/repo-obj/{id}/share", { params: { path: { id } }, body }));
      }
      return last;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["sharing"] }),
  });
  const show = useMutation({
    mutationFn: async (visibility: Visibility) => {
      for (const { id } of entries) await answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility } }));
    },
    onSuccess: () => notice(t("files.share.shown", { count: entries.length })),
    onSettled: () => client.invalidateQueries({ queryKey: FILES }),
  });
  return (
    <Dialog title={t("files.share.many", { count: entries.length })} wide onClose={onClose}>
      <AddTarget kind={FILE_SHARING} grants={[]} share={share} />
      <Fault fault={share.error ?? show.error} />
      <p className={styles.target}>{t("files.share.seen")}</p>
      <div className={styles.answers}>
        {VISIBILITIES.map((visibility) => (
          <Button key={visibility} size="compact-md" variant="default" loading={show.isPending && show.variables === visibility} onClick={() => show.mutate(visibility)}>
            {t(`visibility.${visibility}`)}
          </Button>
        ))}
      </div>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.close")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
