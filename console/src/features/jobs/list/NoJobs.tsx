/** Empty state of the list. */

import { Button } from "@mantine/core";
import { IconFilterOff, IconListCheck } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Empty } from "@/ui/states";

import { useFilters, useRefine } from "../filters";
import { making, useMayAsk } from "../making";

export function NoJobs() {
  const { can } = useSession();
  const asks = useMayAsk();
  const { state, kind } = useFilters();
  const refine = useRefine();
  if (state || kind) {
    return (
      <Empty
        title={t("jobs.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ state: undefined, kind: undefined })}>
            {t("jobs.filter.none")}
          </Button>
        }
      />
    );
  }
  return (
    <Empty
      title={t("jobs.none")}
      icon={IconListCheck}
      action={
        asks && (
          <Button variant="default" onClick={making.open}>
            {t("jobs.new")}
          </Button>
        )
      }
    >
      {t(`jobs.none.${asks ? "words" : can("chat:use") ? "off" : "viewer"}`)}
    </Empty>
  );
}
