/** A status line: title, good or bad, and an explanation. */

import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";

import styles from "./Status.module.css";

const PICTURES = { good: IconCircleCheck, note: IconInfoCircle, bad: IconAlertTriangle };

interface Props {
  state?: keyof typeof PICTURES;
  words: string;
  children: ReactNode;
}

export function StatusLine({ state = "good", words, children }: Props) {
  const Picture = PICTURES[state];
  return (
    <div className={styles.said}>
      <Picture className={styles[state]} aria-hidden size={18} stroke={1.6} />
      <div>
        <b>{children}</b>
        <p className="muted">{words}</p>
      </div>
    </div>
  );
}
