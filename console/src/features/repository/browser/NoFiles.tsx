/** Empty state of a folder. */

import { Button } from "@mantine/core";
import { IconCloudUpload, IconFolderOpen, IconUpload, IconUserShare } from "@tabler/icons-react";
import { useRef, type KeyboardEvent, type ReactNode } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { runCommand } from "@/ui/commands";
import { Empty } from "@/ui/states";

import { useGo, type Place } from "../place";
import { useArrival, useUp } from "./arrival";

export function NoFiles({ place }: { place: Place }) {
  const { can } = useSession();
  const go = useGo();
  const mayUpload = can("files:write");
  if (place.show === "shared" || !(mayUpload || can("files:read"))) {
    const others = place.show === "shared" && (mayUpload || can("files:read")) && (
      <Button variant="default" onClick={() => go({})}>
        {t("files.show.all")}
      </Button>
    );
    return (
      <Empty title={t("files.none.shared")} icon={IconUserShare} action={others}>
        {t("files.none.shared.words")}
      </Empty>
    );
  }
  const upload = mayUpload && (
    <Button leftSection={<IconUpload aria-hidden size={15} />} onClick={() => runCommand("create")}>
      {t("files.upload.files")}
    </Button>
  );
  if (place.folder) {
    return (
      <EmptyFolder folder={place.folder}>
        <Empty title={t("files.none.folder")} icon={IconFolderOpen} action={upload}>
          {t(mayUpload ? "files.none.folder.words" : "files.none.read")}
        </Empty>
      </EmptyFolder>
    );
  }
  return (
    <Empty title={t("files.none")} icon={IconCloudUpload} action={upload}>
      {t(mayUpload ? "files.none.words" : "files.none.read")}
    </Empty>
  );
}

/** Takes the focus if a key has opened the folder, and leads back by Backspace, as a list would. */
function EmptyFolder({ folder, children }: { folder: string; children: ReactNode }) {
  const here = useRef<HTMLDivElement>(null);
  const up = useUp(folder);
  useArrival(folder, () => here.current?.focus());
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Backspace" || event.target !== event.currentTarget) return;
    event.preventDefault();
    up();
  }
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div ref={here} role="group" aria-label={t("files.none.folder")} tabIndex={-1} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}
