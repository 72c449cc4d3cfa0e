/** A list of versions: what one person saved in a row is one entry, which unfolds. */

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
  /** The one that is looked at: its group is unfolded. */
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
  const [wish, setWish] = useState<boolean | null>(null);
  const list = useId();
  const open = wish ?? unfolded;
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
        onClick={() => setWish(!open)}
      >
        {t("versions.earlier", { count: versions.length })}
      </Button>
      <ol id={list} className={styles.earlier} hidden={!open}>
        {open && versions.map((version) => <li key={version.number}>{children(version)}</li>)}
      </ol>
    </>
  );
}
