/** Empty state of a folder. */

import { IconCloudUpload, IconFolderOpen, IconUserShare } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Empty } from "@/ui/states";

import type { Place } from "../place";

export function NoFiles({ place }: { place: Place }) {
  const { can } = useSession();
  const mayUpload = can("files:write");
  if (place.show === "shared" || !(mayUpload || can("files:read"))) {
    return (
      <Empty title={t("files.none.shared")} icon={IconUserShare}>
        {t("files.none.shared.words")}
      </Empty>
    );
  }
  if (place.folder) {
    return (
      <Empty title={t("files.none.folder")} icon={IconFolderOpen}>
        {t(mayUpload ? "files.none.folder.words" : "files.none.read")}
      </Empty>
    );
  }
  return (
    <Empty title={t("files.none")} icon={IconCloudUpload}>
      {t(mayUpload ? "files.none.words" : "files.none.read")}
    </Empty>
  );
}
