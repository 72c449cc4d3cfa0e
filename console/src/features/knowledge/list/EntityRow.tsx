/** An entity in the list: name, type and how often it's mentioned. */

import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { t } from "@/i18n";
import list from "@/ui/panes/PaneList.module.css";
import { rowLink, type RowPlace } from "@/ui/panes/rows";

import { besides } from "../address";
import type { EntityItem } from "../api";
import styles from "../Knowledge.module.css";
import { PICTURES } from "../types";
import { countWords } from "../words";

interface Props extends RowPlace {
  entity: EntityItem;
}

export const EntityRow = memo(function EntityRow({ entity, ...place }: Props) {
  const Picture = PICTURES[entity.type];
  return (
    <li className={list.row}>
      <Link to="/graph/$id" params={{ id: entity.id }} search={besides} {...rowLink(place)}>
        <span className={styles.named}>
          <Picture aria-hidden size={17} stroke={1.6} />
          <b className={list.name}>{entity.name}</b>
        </span>
        <span className={`${list.meta} ${styles.beneath}`}>
          <span>{t(`graph.types.${entity.type}`)}</span>
          <span>{countWords(entity)}</span>
        </span>
      </Link>
    </li>
  );
});
