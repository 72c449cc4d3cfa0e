/** A list beside the thing that is open; where there is no room for both, one of the two. */

import type { ReactNode } from "react";

import styles from "./Panes.module.css";

interface Props {
  /** Something of the list is open. */
  open: boolean;
  /** What is open takes the list's room too, unless there is much. */
  needsRoom?: boolean;
  list: ReactNode;
  children: ReactNode;
}

export function Panes({ open, needsRoom = false, list, children }: Props) {
  return (
    <div className={styles.panes} data-open={open} data-needs-room={needsRoom}>
      {list}
      <div className={styles.work}>{children}</div>
    </div>
  );
}
