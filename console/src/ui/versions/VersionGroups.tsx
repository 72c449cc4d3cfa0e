/** Version list: consecutive saves by one person are one expandable entry. */

import { Button } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState, type ReactNode } from "react";

import { t } from "@/i18n";

import { grouped } from "./groups";
import type { Version } from "./queries";
import styles from "./VersionGroups.module.css";

interface Props {
  versions: readonly Version[];
  className?: string;
  /** The selected version: its group is expanded. */
  shown?: number;
  children: (version: Version) => ReactNode;
}

export function VersionGroups({ versions, className, shown, children }: Props) {
  return (
    <ol className={className}>
      {grouped(versions).map(([newest, ...earlier]) => (
        <li key={newest.number}>
          {children(newest)}
          {earlier.length > 0 && (
            <Earlier versions={earlier} unfolded={earlier.some(({ number }) => number === shown)}>
              {children}
            </Earlier>
          )}
        </li>
      ))}
    </ol>
  );
}

interface EarlierProps {
  versions: readonly Version[];
  unfolded: boolean;
  children: (version: Version) => ReactNode;
}

function Earlier({ versions, unfolded, children }: EarlierProps) {
  const [toggled, setToggled] = useState<boolean | null>(null);
  const list = useId();
  const open = toggled ?? unfolded;
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        className={styles.fold}
        leftSection={<Arrow aria-hidden size={14} />}
        aria-expanded={open}
        aria-controls={list}
        onClick={() => setToggled(!open)}
      >
        {t("versions.earlier", { count: versions.length })}
      </Button>
      <ol id={list} className={styles.earlier} hidden={!open}>
        {open && versions.map((version) => <li key={version.number}>{children(version)}</li>)}
      </ol>
    </>
  );
}
