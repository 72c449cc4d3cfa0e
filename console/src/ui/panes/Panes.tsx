/** List and detail side by side; on narrow screens, one of the two. */

import type { ReactNode } from "react";

import styles from "./Panes.module.css";

interface Props {
  /** An item is open. */
  open: boolean;
  /** The detail also takes the list's space, unless the screen is wide. */
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
