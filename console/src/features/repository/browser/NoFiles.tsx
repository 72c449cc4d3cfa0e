/** Empty state of a folder. */

import { Button } from "@mantine/core";
import { IconCloudUpload, IconFolderOpen, IconUpload, IconUserShare } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { runCommand } from "@/ui/commands";
import { Empty } from "@/ui/states";

import { useGo, type Place } from "../place";

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
      <Empty title={t("files.none.folder")} icon={IconFolderOpen} action={upload}>
        {t(mayUpload ? "files.none.folder.words" : "files.none.read")}
      </Empty>
    );
  }
  return (
    <Empty title={t("files.none")} icon={IconCloudUpload} action={upload}>
      {t(mayUpload ? "files.none.words" : "files.none.read")}
    </Empty>
  );
}
