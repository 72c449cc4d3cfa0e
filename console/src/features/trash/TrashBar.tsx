/** Above the items of the trash: a checkbox for all, what can be done with the selected ones, and a filter. */

import { Button } from "@mantine/core";
import { IconRestore, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

import { t } from "@/i18n";
import { TextFilter } from "@/ui/TextFilter";
import { Toolbar } from "@/ui/Toolbar";

import styles from "./Trash.module.css";

interface Props {
  /** Of all that are shown. */
  count: number;
  selected: number;
  onAll: () => void;
  onRestore: () => void;
  onPurge: () => void;
  words: string;
  /** Undefined if there are too few items to filter. */
  onWords?: (words: string) => void;
}

export function TrashBar({ count, selected, onAll, onRestore, onPurge, words, onWords }: Props) {
  const all = useRef<HTMLInputElement>(null);
  const isWithin = useRef(false);
  // The buttons go with the last selected item, and would take the focus along.
  useEffect(() => {
    if (selected === 0 && isWithin.current && document.activeElement === document.body) all.current?.focus();
  }, [selected]);
  return (
    <div className={styles.bar} onFocus={() => void (isWithin.current = true)} onBlur={() => void (isWithin.current = false)}>
      <label className={styles.all}>
        <input ref={all} type="checkbox" className={styles.box} checked={count > 0 && selected === count} disabled={count === 0} onChange={onAll} />
        {t("files.select.all")}
      </label>
      {selected > 0 && (
        <Toolbar className={styles.actions} aria-label={t("files.selected.actions")}>
          <p className={styles.count}>{t("files.selected", { count: selected })}</p>
          <Button variant="default" size="compact-md" leftSection={<IconRestore aria-hidden size={16} />} onClick={onRestore}>
            {t("trash.restore")}
          </Button>
          <Button variant="default" size="compact-md" leftSection={<IconTrash aria-hidden size={16} />} onClick={onPurge}>
            {t("trash.purge")}
          </Button>
        </Toolbar>
      )}
      {onWords && (
        <div className={styles.filter}>
          <TextFilter label={t("files.filter")} value={words} onChange={onWords} />
        </div>
      )}
    </div>
  );
}
