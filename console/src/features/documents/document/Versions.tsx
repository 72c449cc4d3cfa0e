/** Versions of a document, in the inspector; each opens the comparison. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Failed, Loading } from "@/ui/states";
import { rightsOn } from "@/ui/sharing/rights";
import { NameVersion } from "@/ui/versions/NameVersion";
import { useVersions } from "@/ui/versions/queries";
import { VersionGroups } from "@/ui/versions/VersionGroups";
import { VersionLine } from "@/ui/versions/VersionLine";

import type { Document } from "../text";
import styles from "./Document.module.css";

export function Versions({ document }: { document: Document }) {
  const { id, version: newest } = document;
  const mayWrite = rightsOn(document).write;
  const versions = useVersions(id, newest);
  if (versions.isPending) return <Loading />;
  if (versions.isError && !versions.data) return <Failed error={versions.error} again={() => void versions.refetch()} />;
  return (
    <>
      <Link to="/documents/$id/versions" params={{ id }} search={{}} className={styles.compare}>
        {t("documents.versions.compare")}
      </Link>
      <VersionGroups versions={versions.data ?? []} className={styles.versions}>
        {(version) => (
          <div className={styles.version}>
            <Link to="/documents/$id/versions" params={{ id }} search={{ version: version.number } as never} className={styles.pick}>
              <VersionLine version={version} newest={newest} />
            </Link>
            {mayWrite && <NameVersion id={id} version={version} />}
          </div>
        )}
      </VersionGroups>
      <Endless query={versions} />
    </>
  );
}
