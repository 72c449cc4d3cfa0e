/** Empty state of the list. */

import { Button } from "@mantine/core";
import { IconFilterOff, IconNotes, IconUserShare } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Empty } from "@/ui/states";

import { useAddress, useFilters, useRefine } from "../filters";
import { NewNote } from "./ListHead";

export function NoNotes() {
  const { can } = useSession();
  const { show, visibility, tag } = useFilters();
  const { q } = useAddress();
  const refine = useRefine();
  if (q || visibility || tag) {
    return (
      <Empty
        title={t("notes.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ q: undefined, visibility: undefined, tag: undefined })}>
            {t("notes.filter.none")}
          </Button>
        }
      >
        {t("notes.none.filtered.words")}
      </Empty>
    );
  }
  const mayWrite = can("notes:write");
  if (show === "shared" || !(mayWrite || can("notes:read"))) {
    return (
      <Empty title={t("notes.none.shared")} icon={IconUserShare} action={mayWrite && <NewNote />}>
        {t("notes.none.shared.words")}
      </Empty>
    );
  }
  return (
    <Empty title={t(show === "mine" ? "notes.none.mine" : "notes.none")} icon={IconNotes} action={mayWrite && <NewNote />}>
      {t(mayWrite ? "notes.none.words" : "notes.none.read")}
    </Empty>
  );
}
