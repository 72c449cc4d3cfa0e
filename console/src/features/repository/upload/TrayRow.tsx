/** One upload. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconClock, IconFileUpload, IconHelp, IconPlayerPause, IconPlayerPlay, IconPlayerSkipForward, IconRefresh, IconUpload, IconX, type Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { noticeText } from "@/ui/notice";
import { Progress } from "@/ui/Progress";
import { bytes } from "@/ui/quantities";

import { nameOf } from "../place";
import type { State, Upload } from "./queue";
import styles from "./Tray.module.css";
import { uploads } from "./uploads";

const PICTURES: Record<State, Icon> = {
  waiting: IconClock,
  sending: IconUpload,
  paused: IconPlayerPause,
  interrupted: IconFileUpload,
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
        {(state === "sending" || state === "paused" || state === "interrupted") && <Progress label={t("files.upload.progress", { name })} share={upload.size > 0 ? upload.sent / upload.size : 0} />}
        <span className={styles.second}>{wordsOf(upload)}</span>
      </div>
      {state === "sending" && <RowAction label={t("files.upload.pause", { name })} icon={IconPlayerPause} onClick={() => uploads.pause(id)} />}
      {state === "paused" && <RowAction label={t("files.upload.resume", { name })} icon={IconPlayerPlay} onClick={() => uploads.retry(id)} />}
      {state === "interrupted" && <ChooseAgain upload={upload} />}
      {(state === "waiting" || state === "sending" || state === "paused") && <RowAction label={t("files.upload.cancel", { name })} icon={IconX} onClick={() => uploads.cancel(id)} />}
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

/** A reload takes the file from the page: only the person can give it again. */
function ChooseAgain({ upload: { id, key } }: { upload: Upload }) {
  const input = useRef<HTMLInputElement>(null);
  const name = nameOf(key);
  function take(field: HTMLInputElement): void {
    const [file] = field.files ?? [];
    if (file && !uploads.resume(id, file)) noticeText(t("files.upload.other", { name }));
    field.value = "";
  }
  return (
    <>
      <RowAction label={t("files.upload.again", { name })} icon={IconPlayerPlay} onClick={() => input.current?.click()} />
      <input ref={input} type="file" hidden data-what="again" onChange={(event) => take(event.currentTarget)} />
    </>
  );
}

function wordsOf({ state, size, sent, speed, fault, lost }: Upload): string {
  if (state === "sending" && lost) return t("files.upload.lost");
  if (state === "sending") {
    const amount = t("files.upload.sent", { sent: bytes(sent), size: bytes(size) });
    return speed > 0 ? `${amount} · ${t("files.upload.speed", { speed: bytes(speed) })}` : amount;
  }
  if (state === "failed") return fault instanceof Refusal ? fault.message : t("state.failed.unknown");
  return t(`files.upload.state.${state}`, { size: bytes(size) });
}
