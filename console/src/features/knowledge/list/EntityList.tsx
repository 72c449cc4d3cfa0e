/** Entities, by name and type. */

import { Button, Select } from "@mantine/core";
import { IconFilterOff, IconTopologyStar3, IconWand } from "@tabler/icons-react";

import { t } from "@/i18n";
import { allowed } from "@/navigation/tables";
import { useSession } from "@/session";
import { PaneList } from "@/ui/panes/PaneList";
import { Empty } from "@/ui/states";
import { TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { useAddress, useRefine } from "../address";
import { EXTRACTING, extracting } from "../extract/extracting";
import styles from "../Knowledge.module.css";
import { useEntities } from "../queries";
import { TYPES, type EntityType } from "../types";
import { EntityRow } from "./EntityRow";

export function EntityList({ openId }: { openId?: string }) {
  const address = useAddress();
  const entities = useEntities(address);
  const items = entities.data ?? [];
  return (
    <PaneList
      name="graph"
      label={t("graph.list")}
      title={t("graph.title")}
      action={(items.length > 0 || address.q || address.type) && <Extract />}
      filters={<Filters count={entities.isSuccess && !entities.hasNextPage ? items.length : undefined} />}
      query={entities}
      items={items}
      openId={openId}
      row={(entity, place) => <EntityRow key={entity.id} entity={entity} {...place} />}
      rowHeight={62}
      none={<None />}
    />
  );
}

function Extract() {
  const session = useSession();
  if (!allowed(EXTRACTING, session)) return null;
  return (
    <Button size="compact-sm" leftSection={<IconWand aria-hidden size={14} />} onClick={extracting.open}>
      {t("graph.extract")}
    </Button>
  );
}

const PAUSE = 200;

/** The server filters, over more than what's loaded. */
function Filters({ count }: { count?: number }) {
  const { q, type } = useAddress();
  const refine = useRefine();
  const [typed, typeIn] = useAddressText(q, (words) => refine({ q: words }), PAUSE);
  return (
    <div className={styles.filters}>
      <TextFilter label={t("graph.filter")} value={typed} onChange={typeIn} />
      <Select
        aria-label={t("graph.type")}
        placeholder={t("graph.type.all")}
        clearable
        clearButtonProps={{ "aria-label": t("graph.type.clear") }}
        data={TYPES.map((value) => ({ value, label: t(`graph.types.${value}`) }))}
        value={type ?? null}
        onChange={(value) => refine({ type: (value ?? undefined) as EntityType | undefined })}
      />
      <p className="sr-only" role="status">
        {(q || type) && count !== undefined && t("graph.filter.found", { count })}
      </p>
    </div>
  );
}

function None() {
  const { q, type } = useAddress();
  const session = useSession();
  const refine = useRefine();
  if (q || type) {
    return (
      <Empty
        title={t("graph.none.filtered")}
        icon={IconFilterOff}
        action={
          <Button variant="default" onClick={() => refine({ q: undefined, type: undefined })}>
            {t("graph.filter.none")}
          </Button>
        }
      >
        {t("graph.none.filtered.words")}
      </Empty>
    );
  }
  return (
    <Empty title={t("graph.none")} icon={IconTopologyStar3} action={<Extract />}>
      <p className={styles.lead}>{t("graph.none.words")}</p>
      <p className={styles.lead}>{t(noneWords(session.has("workflows"), session.can("workflows:run")))}</p>
    </Empty>
  );
}

function noneWords(isOn: boolean, mayRun: boolean): "graph.none.off" | "graph.none.run" | "graph.none.ask" {
  if (!isOn) return "graph.none.off";
  return mayRun ? "graph.none.run" : "graph.none.ask";
}
