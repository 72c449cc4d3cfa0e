/** Top results below the search box, grouped by type, with a link to all results. */

import { IconArrowRight } from "@tabler/icons-react";

import { t } from "@/i18n";

import { TYPES } from "./address";
import { PICTURES } from "./kinds";
import { Marked } from "./Marked";
import type { Found, useTopResults } from "./queries";
import styles from "./Search.module.css";

export interface Choice {
  id: string;
  /** Without a result, it's the link to all results. */
  thing?: Found;
}

interface Props {
  list: string;
  query: string;
  choices: readonly Choice[];
  chosen?: Choice;
  found: ReturnType<typeof useTopResults>;
  /** The results match the current input. */
  fresh: boolean;
  onChoose: (thing?: Found) => void;
}

export function TopResults({ list, query, choices, chosen, found, fresh, onChoose }: Props) {
  const settled = fresh && !found.isFetching;
  const count = choices.length - 1;
  return (
    <>
      <div id={list} role="listbox" aria-label={t("search.results")}>
        {TYPES.map((type) => {
          const some = choices.filter(({ thing }) => thing?.type === type);
          if (some.length === 0) return null;
          return (
            <div key={type} role="group" aria-label={t(`search.type.${type}`)}>
              <p className={styles.group} aria-hidden>
                {t(`search.type.${type}`)}
              </p>
              {some.map((choice) => (
                <Option key={choice.id} choice={choice} chosen={choice.id === chosen?.id} onChoose={onChoose} />
              ))}
            </div>
          );
        })}
        <All choice={choices.at(-1)} chosen={chosen !== undefined && !chosen.thing} query={query} onChoose={onChoose} />
      </div>
      <p className={settled && count > 0 ? "sr-only" : styles.none} role="status">
        {found.isError ? found.error.message : !settled ? t("search.busy") : t("search.count", { count })}
      </p>
    </>
  );
}

/** Keeps focus in the input: mousedown would move it before the click. */
const keepFocus = (event: React.MouseEvent): void => event.preventDefault();

function Option({ choice: { id, thing }, chosen, onChoose }: { choice: Choice; chosen: boolean; onChoose: Props["onChoose"] }) {
  if (!thing) return null;
  const Picture = PICTURES[thing.type];
  return (
    <button id={id} type="button" role="option" aria-selected={chosen} tabIndex={-1} className={styles.option} onMouseDown={keepFocus} onClick={() => onChoose(thing)}>
      <Picture aria-hidden size={16} />
      <span className={styles.lines}>
        <b>{thing.title}</b>
        <span className={styles.short}>
          <Marked snippet={thing.snippet} />
        </span>
      </span>
    </button>
  );
}

function All({ choice, chosen, query, onChoose }: { choice?: Choice; chosen: boolean; query: string; onChoose: Props["onChoose"] }) {
  return (
    <button id={choice?.id} type="button" role="option" aria-selected={chosen} tabIndex={-1} className={styles.option} onMouseDown={keepFocus} onClick={() => onChoose()}>
      <IconArrowRight aria-hidden size={16} />
      <span className={styles.lines}>{t("search.all", { query })}</span>
    </button>
  );
}
