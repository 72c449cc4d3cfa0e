/** Sort control where the table's headers are hidden (see DataTable.module.css). */

import { ActionIcon, NativeSelect } from "@mantine/core";
import { IconSortAscending, IconSortDescending } from "@tabler/icons-react";

import { t } from "@/i18n";

import styles from "./SortBy.module.css";
import type { Sorting } from "./sorting";

export function SortBy<Row>({ sorting }: { sorting: Sorting<Row> }) {
  const { by, descending, columns, sort } = sorting;
  return (
    <div className={styles.room}>
      <div className={styles.order}>
        <NativeSelect
          label={t("metrics.sort")}
          value={by}
          data={columns.map((column) => ({ value: column.name, label: column.title }))}
          onChange={(event) => sort(event.currentTarget.value)}
        />
        <ActionIcon variant="default" size={36} aria-label={t("metrics.sort.turn")} onClick={() => sort(by)}>
          {descending ? <IconSortDescending aria-hidden size={18} /> : <IconSortAscending aria-hidden size={18} />}
        </ActionIcon>
      </div>
    </div>
  );
}
