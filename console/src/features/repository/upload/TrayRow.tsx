/** One upload. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconClock, IconHelp, IconPlayerSkipForward, IconRefresh, IconUpload, IconX, type Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Progress } from "@/ui/Progress";
import { bytes } from "@/ui/quantities";

import { nameOf } from "../place";
import type { State, Upload } from "./queue";
import styles from "./Tray.module.css";
import { uploads } from "./uploads";

const PICTURES: Record<State, Icon> = {
  waiting: IconClock,
  sending: IconUpload,
  asks: IconHelp,
  done: IconCircleCheck,
  failed: IconAlertTriangle,
  stopped: IconX,
  skipped: IconPlayerSkipForward,
};

export function TrayRow({ upload }: { upload: Upload }) {
  const { id, key, state, objectId } = upload;
  const Picture = PICTURES[state];
  const name = nameOf(key);
  return (
    <li className={styles.row} data-state={state}>
      <Picture aria-hidden size={17} className={styles.picture} />
      <div className={styles.words}>
        <span className={styles.name} title={key}>
          {objectId ? (
            <Link to="/files/$id" params={{ id: objectId }}>
              {name}
            </Link>
          ) : (
            name
          )}
        </span>
        {state === "sending" && <Progress label={t("files.upload.progress", { name })} share={upload.size > 0 ? upload.sent / upload.size : 0} />}
        <span className={styles.second}>{wordsOf(upload)}</span>
      </div>
      {(state === "waiting" || state === "sending") && <RowAction label={t("files.upload.cancel", { name })} icon={IconX} onClick={() => uploads.cancel(id)} />}
      {(state === "failed" || state === "stopped") && <RowAction label={t("files.upload.retry", { name })} icon={IconRefresh} onClick={() => uploads.retry(id)} />}
    </li>
  );
}

function RowAction({ label, icon: Picture, onClick }: { label: string; icon: Icon; onClick: () => void }) {
  return (
    <Tooltip label={label} openDelay={300}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={onClick}>
        <Picture aria-hidden size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function wordsOf({ state, size, sent, speed, fault }: Upload): string {
  if (state === "sending") {
    const amount = t("files.upload.sent", { sent: bytes(sent), size: bytes(size) });
    return speed > 0 ? `${amount} · ${t("files.upload.speed", { speed: bytes(speed) })}` : amount;
  }
  if (state === "failed") return fault instanceof Refusal ? fault.message : t("state.failed.unknown");
  return t(`files.upload.state.${state}`, { size: bytes(size) });
}
