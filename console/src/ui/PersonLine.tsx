/** A person in a list: initials, name, and a second line to tell people with the same name apart. */

import type { ReactNode } from "react";

import { initials } from "./initials";

import styles from "./PersonLine.module.css";

interface Props {
  name: string;
  /** The username, or other secondary text. */
  second?: ReactNode;
  /** Tag after the name, such as “You”. */
  mark?: ReactNode;
}

export function PersonLine({ name, second, mark }: Props) {
  return (
    <span className={styles.line}>
      <Face name={name} />
      <span className={styles.words}>
        <span className={styles.name}>
          <span className={styles.cut}>{name}</span>
          {mark}
        </span>
        {second && <span className={styles.second}>{second}</span>}
      </span>
    </span>
  );
}

export function Face({ name }: { name: string }) {
  return (
    <span className={styles.face} aria-hidden>
      {initials(name)}
    </span>
  );
}
