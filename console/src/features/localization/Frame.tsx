/** Frame of the screens of one language: the page, with the way back above it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { Page } from "@/ui/Page";

import styles from "./Frame.module.css";

interface Props {
  back: ReactNode;
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Frame({ back, ...page }: Props) {
  return (
    <div className={styles.frame}>
      <p className={styles.back}>{back}</p>
      <Page {...page} />
    </div>
  );
}

export function BackToTexts({ locale, children }: { locale: string; children: ReactNode }) {
  return (
    <Link to="/settings/instance/languages/$locale" params={{ locale }}>
      <Arrow /> {children}
    </Link>
  );
}

export function BackToLanguages({ children }: { children: ReactNode }) {
  return (
    <Link to="/settings/instance/languages">
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
