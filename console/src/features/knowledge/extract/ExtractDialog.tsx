/** Extracts entities from documents that weren't read yet: says what it costs before it starts. */

import { Button } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import QuotaRefused from "@/ui/QuotaRefused";
import { Failed, Loading } from "@/ui/states";

import type { Preview } from "../api";
import styles from "../Knowledge.module.css";
import { useEstimate, useExtract } from "../queries";

export function ExtractDialog({ onClose }: { onClose: () => void }) {
  const estimate = useEstimate();
  const extract = useExtract();
  return (
    <Dialog title={t("graph.extract.title")} onClose={onClose}>
      {extract.data ? (
        <Started run={extract.data.id} onClose={onClose} />
      ) : (
        <>
          <p className="muted">{t("graph.extract.words")}</p>
          {estimate.isPending && <Loading what={t("graph.extract.estimating")} />}
          {estimate.isError && <Failed error={estimate.error} again={() => void estimate.refetch()} />}
          {estimate.data && <Cost preview={estimate.data} />}
          <Fault fault={extract.error} />
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button disabled={!estimate.data || estimate.data.documents === 0} loading={extract.isPending} onClick={() => extract.mutate()}>
              {t("graph.extract.do")}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function Cost({ preview: { estimate, documents, blocked_by: blocked } }: { preview: Preview }) {
  if (documents === 0) return <p role="status">{t("graph.extract.nothing")}</p>;
  return (
    <>
      <p role="status">{t("graph.extract.cost", { documents, requests: estimate.requests, tokens: estimate.tokens })}</p>
      {blocked && <QuotaRefused quota={blocked} />}
    </>
  );
}

function Started({ run, onClose }: { run: string; onClose: () => void }) {
  return (
    <>
      <p className={styles.started} role="status">
        <IconCircleCheck aria-hidden size={18} />
        {t("graph.extract.started")}
      </p>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.close")}
        </Button>
        <Button renderRoot={(props) => <Link {...props} to="/workflows/runs/$id" params={{ id: run }} onClick={onClose} />}>{t("graph.extract.run")}</Button>
      </DialogActions>
    </>
  );
}
