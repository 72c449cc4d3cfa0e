/** Rows of a list beside an open item. */

import styles from "./PaneList.module.css";

export interface RowPlace {
  open: boolean;
  /** The tab stop of the list; arrow keys move to the other rows. */
  entry: boolean;
}

/** Props of the link that a row consists of. */
export const rowLink = ({ open, entry }: RowPlace) =>
  ({ className: styles.link, "aria-current": open ? "true" : undefined, tabIndex: entry ? 0 : -1, "data-row": true }) as const;
