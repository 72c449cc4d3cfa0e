/** The list: one line for each prospect; arrow keys go along it. */

import { Link } from "@tanstack/react-router";
import { useRef } from "react";

import { t } from "@/i18n";
import { useListKeys } from "@/ui/panes/useListKeys";
import { Time } from "@/ui/Time";

import type { Prospect } from "../api";
import type { Place } from "./address";
import styles from "./Prospects.module.css";
import { LevelTag, StateTag, VerdictTag } from "./Tags";
import { nameOf } from "./words";

interface Props {
  prospects: readonly Prospect[];
  currentId: string | undefined;
  place: Place;
}

export function ProspectList({ prospects, currentId, place }: Props) {
  const list = useRef<HTMLElement>(null);
  const walk = useListKeys(list);
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={list} aria-label={t("prospects.list")} onKeyDown={walk}>
      <ul className={styles.list}>
        {prospects.map((prospect) => (
          <li key={prospect.id}>
            <Link
              to="/settings/company/sign-up"
              search={{ ...place, id: prospect.id } as never}
              replace={place.id !== undefined}
              className={styles.row}
              aria-current={prospect.id === currentId ? "true" : undefined}
              data-row
            >
              <span className={styles.name}>{nameOf(prospect)}</span>
              <span className={styles.at}>
                <Time at={prospect.created_at} />
              </span>
              {nameOf(prospect) !== prospect.email && <span className={styles.email}>{prospect.email}</span>}
              <span className={styles.tags}>
                {prospect.state !== "captured" && <StateTag state={prospect.state} />}
                {prospect.level !== "ok" && <LevelTag level={prospect.level} />}
                {prospect.verdict && <VerdictTag decision={prospect.verdict.decision} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
