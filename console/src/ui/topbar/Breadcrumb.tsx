/** The way to the open item; where there is little room, an arrow to the last place before it. */

import { ActionIcon } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";

import type { Crumb } from "./crumbs";
import styles from "./TopBar.module.css";

interface Props {
  crumbs: readonly Crumb[];
  here: string;
  /** Where the item has no heading of its own. */
  heading?: "h1" | "h2";
}

export function Breadcrumb({ crumbs, here, heading }: Props) {
  const last = crumbs.at(-1);
  const Here = heading ?? "span";
  return (
    <>
      {last && <BackTo crumb={last} />}
      <nav className={styles.crumbs} aria-label={t("topbar.crumbs")}>
        <ol>
          {crumbs.map((crumb) => (
            <li key={`${crumb.to} ${crumb.name}`} className={styles.before}>
              <Link to={crumb.to} search={crumb.search as never} className={styles.crumb} activeOptions={{ exact: true }}>
                {crumb.name}
              </Link>
              <IconChevronRight aria-hidden size={14} />
            </li>
          ))}
          <li className={styles.last}>
            <Here className={styles.here} aria-current="page" title={here} data-page-title={heading ? "" : undefined}>
              {here}
            </Here>
          </li>
        </ol>
      </nav>
    </>
  );
}

function BackTo({ crumb }: { crumb: Crumb }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      className={styles.back}
      aria-label={t("ui.back_to_list")}
      renderRoot={(props) => <Link {...props} to={crumb.to} search={crumb.search as never} activeOptions={{ exact: true }} />}
    >
      <IconChevronLeft aria-hidden size={20} />
    </ActionIcon>
  );
}
