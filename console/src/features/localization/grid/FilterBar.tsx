/** Filters above the texts: by status, part of the product, words, and where a review stands. */

import { Button, Select } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { number, t } from "@/i18n";
import { Segments } from "@/ui/Segments";
import { TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { isFiltered, NONE, type Filters } from "../address";
import { REVIEWS, STATUSES, type Counts, type NamespaceCoverage, type Review, type Status } from "../api";
import styles from "./Texts.module.css";

interface Props {
  filters: Filters;
  counts?: Counts;
  namespaces: readonly NamespaceCoverage[];
  onChange: (change: Filters) => void;
}

const ALL = "all";

export function FilterBar({ filters, counts, namespaces, onChange }: Props) {
  const [typed, type] = useAddressText(filters.q, (q) => onChange({ q, id: undefined }));
  const named = (status: Status): string => {
    const name = t(`localization.status.${status}`);
    return counts ? t("localization.filter.counted", { name, count: number(counts[status]) }) : name;
  };
  return (
    <div className={styles.filters} role="search" aria-label={t("localization.filter")}>
      <Segments<Status | typeof ALL>
        className={styles.statuses}
        aria-label={t("localization.filter.status")}
        value={filters.status ?? ALL}
        onChange={(status) => onChange({ status: status === ALL ? undefined : status, id: undefined })}
        data={[{ value: ALL, label: t("localization.filter.all") }, ...STATUSES.map((status) => ({ value: status, label: named(status) }))]}
      />
      <div className={styles.finer}>
        <TextFilter label={t("localization.filter.text")} value={typed} onChange={type} />
        <Select
          className={styles.part}
          aria-label={t("localization.filter.part")}
          placeholder={t("localization.filter.part.any")}
          clearable
          searchable
          withScrollArea={false}
          classNames={{ options: styles.options }}
          data={namespaces.map(({ namespace, missing }) => ({
            value: namespace,
            label: missing > 0 ? t("localization.filter.part.missing", { name: namespace, count: missing }) : namespace,
          }))}
          value={filters.ns ?? null}
          onChange={(ns) => onChange({ ns: ns ?? undefined, id: undefined })}
        />
        <Select
          className={styles.part}
          aria-label={t("localization.filter.review")}
          placeholder={t("localization.filter.review.any")}
          clearable
          data={REVIEWS.map((review) => ({ value: review, label: t(`localization.review.${review}`) }))}
          value={filters.review ?? null}
          onChange={(review) => onChange({ review: (review as Review | null) ?? undefined, id: undefined })}
        />
        {isFiltered(filters) && (
          <Button variant="subtle" size="compact-sm" leftSection={<IconX aria-hidden size={14} />} onClick={() => onChange(NONE)}>
            {filters.id ? t("localization.filter.one") : t("localization.filter.clear")}
          </Button>
        )}
      </div>
    </div>
  );
}
