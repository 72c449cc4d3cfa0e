/** Frame of the screens about workflows: the page, with a way to the other lists. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { BackLink, WithBack } from "@/ui/Back";
import { Page } from "@/ui/Page";

import styles from "./Area.module.css";

const PARTS = [
  { to: "/workflows", title: "workflows.title", exact: true },
  { to: "/workflows/runs", title: "workflows.runs", exact: false },
  { to: "/workflows/triggers", title: "workflows.triggers", exact: false },
] as const;

interface Props {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Area({ children, ...page }: Props) {
  return (
    <Page {...page}>
      <nav className={styles.parts} aria-label={t("workflows.parts")}>
        {PARTS.map(({ to, title, exact }) => (
          <Link key={to} to={to} activeProps={{ "aria-current": "page" }} activeOptions={{ exact, includeSearch: false }}>
            {t(title)}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}

/** A page of one thing: above its content, the way back to the list. */
export function Item({ back, children, ...page }: Props & { back: (typeof PARTS)[number]["to"] }) {
  const { title } = PARTS.find(({ to }) => to === back) ?? PARTS[0];
  return (
    <WithBack back={<BackLink to={back}>{t(title)}</BackLink>}>
      <Page {...page}>{children}</Page>
    </WithBack>
  );
}
