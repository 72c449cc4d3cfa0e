/** Above a page of one thing, the way back to where it is listed; and arrows, which point along the line. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import styles from "./Back.module.css";

interface Props {
  /** A `BackLink`. */
  back: ReactNode;
  /** The page. */
  children: ReactNode;
}

export function WithBack({ back, children }: Props) {
  return (
    <div className={styles.frame}>
      <p className={styles.back}>{back}</p>
      {children}
    </div>
  );
}

export function BackLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to}>
      <Arrow /> {children}
    </Link>
  );
}

/** Back is where lines begin. */
function Arrow() {
  return (
    <span className={styles.arrow} aria-hidden>
      ←
    </span>
  );
}

/** From one thing to the next. */
export function Forward() {
  return <span className={styles.arrow}>→</span>;
}
