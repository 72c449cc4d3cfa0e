/** Filters above the prospects: by decision, trust, verdict, and the beginning of an address. */

import { Button, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { LEVELS, VERDICTS, type Level } from "../api";
import { isFiltered, NO_FILTERS, WAITING, type Place } from "./address";
import styles from "./Prospects.module.css";

interface Props {
  place: Place;
  onChange: (change: Place) => void;
}

type Shown = NonNullable<Place["state"]> | typeof WAITING;
const SHOWN = [WAITING, "accepted", "declined", "all"] as const satisfies readonly Shown[];

export function FilterBar({ place, onChange }: Props) {
  const filter = (change: Place): void => onChange({ ...change, id: undefined });
  const [typed, type] = useAddressText(place.q, (q) => filter({ q }));
  return (
    <div className={styles.filters} role="search" aria-label={t("prospects.filter")}>
      <Segments<Shown>
        aria-label={t("prospects.filter.state")}
        value={place.state ?? WAITING}
        onChange={(state) => filter({ state: state === WAITING ? undefined : state })}
        data={SHOWN.map((value) => ({ value, label: t(`prospects.filter.${value}`) }))}
      />
      <TextFilter label={t("prospects.filter.text")} value={typed} onChange={type} />
      <Select
        className={styles.choice}
        aria-label={t("prospects.filter.level")}
        placeholder={t("prospects.filter.level.any")}
        clearable
        data={LEVELS.map((value) => ({ value, label: t(`prospects.level.${value}`) }))}
        value={place.level ?? null}
        onChange={(level) => filter({ level: (level as Level | null) ?? undefined })}
      />
      <Select
        className={styles.choice}
        aria-label={t("prospects.filter.verdict")}
        placeholder={t("prospects.filter.verdict.any")}
        clearable
        data={VERDICTS.map((value) => ({ value, label: t(`prospects.verdict.${value}`) }))}
        value={place.verdict ?? null}
        onChange={(verdict) => filter({ verdict: (verdict as Place["verdict"] | null) ?? undefined })}
      />
      {isFiltered(place) && (
        <Button variant="subtle" size="compact-sm" leftSection={<IconX aria-hidden size={14} />} onClick={() => filter({ ...NO_FILTERS, state: place.state })}>
          {t("prospects.filter.clear")}
        </Button>
      )}
    </div>
  );
}
