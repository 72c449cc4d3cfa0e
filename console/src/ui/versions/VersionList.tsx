/** Versions of a document or file, in the inspector; each opens in the place of the item. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";

import type { Search } from "./address";
import { NameVersion } from "./NameVersion";
import type { useVersions, Version } from "./queries";
import { VersionGroups } from "./VersionGroups";
import styles from "./VersionList.module.css";
import { VersionLine } from "./VersionLine";

interface Props {
  id: string;
  newest: number;
  /** The version that is open. */
  shown: number;
  versions: ReturnType<typeof useVersions>;
  mayName: boolean;
  /** What else can be done with a version. */
  action?: (version: Version) => ReactNode;
}

export function VersionList({ id, newest, shown, versions, mayName, action }: Props) {
  if (versions.isPending) return <Skeleton shape="list" />;
  if (!versions.data) return <Failed error={versions.error} again={() => void versions.refetch()} />;
  return (
    <>
      {newest === 1 && <p className={styles.one}>{t("versions.one")}</p>}
      <VersionGroups versions={versions.data} className={styles.versions} shown={shown}>
        {(version) => (
          <div className={styles.version}>
            <Link
              to="."
              search={(now: Search) => ({ ...now, quote: undefined, edit: undefined, version: version.number === newest ? undefined : version.number }) as never}
              replace
              className={styles.pick}
              activeProps={{ "aria-current": undefined }}
              aria-current={version.number === shown ? "true" : undefined}
            >
              <VersionLine version={version} newest={newest} />
            </Link>
            {mayName && <NameVersion id={id} version={version} />}
            {action?.(version)}
          </div>
        )}
      </VersionGroups>
      <Endless query={versions} />
    </>
  );
}
