/** Frame of the screens of one language: the page, with the way back above it. */

import type { ReactNode } from "react";

import { BackLink, WithBack } from "@/ui/Back";
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
      <WithBack back={back}>
        <Page {...page} />
      </WithBack>
    </div>
  );
}

export function BackToTexts({ locale, children }: { locale: string; children: ReactNode }) {
  return <BackLink to={`/settings/instance/languages/${locale}`}>{children}</BackLink>;
}

export function BackToLanguages({ children }: { children: ReactNode }) {
  return <BackLink to="/settings/instance/languages">{children}</BackLink>;
}
