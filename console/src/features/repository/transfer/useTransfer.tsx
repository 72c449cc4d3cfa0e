/** Runs a transfer, refreshes the lists, and says how it ended; a move and a deletion can be undone. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { answer, api } from "@/api/client";
import { request } from "@/api/request";
import { t } from "@/i18n";
import { useUndo } from "@/ui/trash/useUndo";

import { FILES } from "../keys";
import { withoutFiles } from "../queries";
import { back } from "./plan";
import styles from "./Transfer.module.css";
import { Transfer, type Act, type Deed, type Gather, type Step } from "./transfer";

/** Sharing says with whom. */
export type Job = { gather: Gather } & ({ deed: keyof typeof ACTS } | { deed: "share"; act: Act });

export interface Running {
  deed: Deed;
  transfer: Transfer;
  fault?: unknown;
}

const ACTS: Record<Exclude<Deed, "share">, Act> = {
  move: ({ id, to, replaces }, signal) => request("POST", `/api/repo-obj/${id}/move`, { key: to, replace: replaces }, signal),
  copy: ({ id, to, replaces }, signal) => request("POST", `/api/repo-obj/${id}/copy`, { key: to, replace: replaces }, signal),
  delete: ({ id }, signal) => answer(api.DELETE("/api/repo-obj/{id}", { params: { path: { id } }, signal })),
};

export function useTransfer() {
  const client = useQueryClient();
  const undoDeletion = useUndo();
  const [running, setRunning] = useState<Running | null>(null);

  async function begin(job: Job): Promise<readonly Step[]> {
    const { deed } = job;
    const transfer = new Transfer(job.gather, job.deed === "share" ? job.act : ACTS[job.deed]);
    setRunning({ deed, transfer });
    let fault: unknown;
    try {
      await transfer.run();
    } catch (reason) {
      fault = reason;
    }
    const { performed, snapshot } = transfer;
    if (deed === "move" || deed === "delete") withoutFiles(client, new Set(performed.map(({ id }) => id)));
    void client.invalidateQueries({ queryKey: FILES });
    void client.invalidateQueries({ queryKey: ["documents"] });
    if (deed === "share") void client.invalidateQueries({ queryKey: ["sharing"] });
    const clean = fault === undefined && snapshot.failures.length === 0;
    setRunning(clean ? null : { deed, transfer, fault });
    if (performed.length === 0) return performed;
    if (deed === "delete") undoDeletion(t("files.transfer.done.delete", { count: performed.length }), performed.map(({ id }) => id));
    else tell(deed, performed, (moved) => void begin({ deed: "move", gather: back(moved) }));
    return performed;
  }

  return { running, begin, close: () => setRunning(null) };
}

/** What has replaced another file isn't moved back: that file would not be there any more. */
function tell(deed: Exclude<Deed, "delete">, performed: readonly Step[], undo: (moved: readonly Step[]) => void): void {
  const plain = performed.filter(({ replaces }) => !replaces);
  const replaced = performed.length - plain.length;
  const words = [
    ...(plain.length > 0 ? [t(`files.transfer.done.${deed}`, { count: plain.length })] : []),
    ...(replaced > 0 ? [t("files.transfer.replaced", { count: replaced })] : []),
  ].join(" · ");
  if (deed !== "move" || plain.length === 0) {
    notifications.show({ color: "success", message: words });
    return;
  }
  const id = `files-${performed[0]?.id ?? ""}`;
  const take = (): void => {
    notifications.hide(id);
    undo(plain);
  };
  notifications.show({
    id,
    color: "success",
    autoClose: 10_000,
    message: (
      <span className={styles.told}>
        {words}
        <Button size="compact-sm" variant="default" onClick={take}>
          {t("action.undo")}
        </Button>
      </span>
    ),
  });
}
