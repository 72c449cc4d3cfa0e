/** Shares many files with a person or team, or sets who can see them; a folder stands for the files in it. */

import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";

import { answer, api, type Schemas } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { AddTarget } from "@/ui/sharing/AddTarget";
import { FILE_SHARING, type ShareRequest } from "@/ui/sharing/kinds";
import { VISIBILITIES } from "@/ui/visibility/VisibilityWord";
import type { Visibility } from "@/ui/writing/text";

import type { Entry } from "../browser/entries";
import type { Act } from "./transfer";
import styles from "./Transfer.module.css";

interface Props {
  entries: readonly Entry[];
  /** Does it to every file, and tells how that goes. */
  onShare: (act: Act) => Promise<unknown>;
  onClose: () => void;
}

/** Different files have different grants. */
const NOT_LISTED: Schemas["ObjectGrantListing"] = { items: [], effective: null, next_cursor: null };

export function ShareMany({ entries, onShare, onClose }: Props) {
  const begin = (act: Act): Promise<unknown> => {
    onClose();
    return onShare(act);
  };
  const share = useMutation({ mutationFn: (request: ShareRequest) => begin(sharing(request)).then(() => NOT_LISTED) });
  return (
    <Dialog title={t("files.share.many", { count: entries.length, name: entries[0]?.name ?? "" })} wide onClose={onClose}>
      {entries.some(({ isFolder }) => isFolder) && <p className="muted">{t("files.share.folders")}</p>}
      <AddTarget kind={FILE_SHARING} grants={[]} share={share} />
      <p className={styles.target}>{t("files.share.seen")}</p>
      <div className={styles.answers}>
        {VISIBILITIES.map((visibility) => (
          <Button key={visibility} size="compact-md" variant="default" onClick={() => void begin(showing(visibility))}>
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

const sharing = ({ principal_type, principal_id, capability, expires_at }: ShareRequest): Act => {
  const body = { principal_type, principal_id, capability: capability ?? "view", expires_at };
  return ({ id }, signal) => answer(api.POST("/api/repo-obj/{id}/share", { params: { path: { id } }, body, signal }));
};

const showing = (visibility: Visibility): Act => {
  return ({ id }, signal) => answer(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility }, signal }));
};
