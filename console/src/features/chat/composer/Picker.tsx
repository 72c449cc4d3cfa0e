/** What matches a mention. */

import { t } from "@/i18n";
import { ReferenceIcon } from "@/ui/turns/ReferenceIcon";

import type { Found } from "../queries";
import styles from "./Composer.module.css";

interface Props {
  id: string;
  words: string;
  found: readonly Found[];
  isBusy: boolean;
  chosen: number;
  onChoose: (found: Found) => void;
}

export const optionId = (list: string, place: number): string => `${list}-${place}`;

export function Picker({ id, words, found, isBusy, chosen, onChoose }: Props) {
  return (
    <div className={styles.picker} data-picker>
      <div id={id} role="listbox" aria-label={t("chat.pick")}>
        {found.map((thing, place) => (
          <button
            key={thing.id}
            id={optionId(id, place)}
            type="button"
            role="option"
            aria-selected={place === chosen}
            tabIndex={-1}
            className={styles.option}
            // The focus stays in the prompt.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(thing)}
          >
            <ReferenceIcon type={thing.type} size={15} />
            <span>{thing.title}</span>
          </button>
        ))}
      </div>
      <p className={found.length > 0 ? "sr-only" : styles.hint} role="status">
        {words === "" ? t("chat.pick.hint") : isBusy ? t("search.busy") : t("search.count", { count: found.length })}
      </p>
    </div>
  );
}
