/** A folder with nothing in it says why, and what to do about it. */

import { IconCloudUpload, IconFolderOpen, IconUserShare } from "@tabler/icons-react";

import { useSession } from "@/app/session";
import { t } from "@/i18n";
import { Empty } from "@/ui/states";

import type { Place } from "../place";

export function NoFiles({ place }: { place: Place }) {
  const { can } = useSession();
  if (place.show === "shared" || !can("files:write")) {
    return (
      <Empty title={t("files.none.shared")} icon={IconUserShare}>
        {t(can("files:write") ? "files.none.shared.words" : "files.none.guest")}
      </Empty>
    );
  }
  if (place.folder) {
    return (
      <Empty title={t("files.none.folder")} icon={IconFolderOpen}>
        {t("files.none.folder.words")}
      </Empty>
    );
  }
  return (
    <Empty title={t("files.none")} icon={IconCloudUpload}>
      {t("files.none.words")}
    </Empty>
  );
}
