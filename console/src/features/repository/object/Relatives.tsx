/** Files it was created from, and files created from it. Hidden if there are none. */

import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Time } from "@/ui/Time";
import lines from "@/ui/versions/VersionLine.module.css";

import { nameOf } from "../place";
import { useDerivations, type FileObject, type Relative } from "../queries";
import styles from "./Object.module.css";

export function Relatives({ file }: { file: FileObject }) {
  const { data } = useDerivations(file);
  return (
    <>
      <Family title={t("files.sources")} relatives={data?.sources} versionOf={(source) => source.source_version} />
      <Family title={t("files.derived")} relatives={data?.derived} versionOf={(derived) => derived.version} />
    </>
  );
}

interface Props {
  title: string;
  relatives?: readonly Relative[];
  versionOf: (relative: Relative) => number;
}

function Family({ title, relatives = [], versionOf }: Props) {
  if (relatives.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles.rows}>
        {relatives.map((relative) => (
          <li key={`${relative.id} ${relative.version} ${relative.source_version}`} className={styles.row}>
            <Link to="/files/$id" params={{ id: relative.id }} search={{ version: versionOf(relative) }} className={styles.pick}>
              <span className={lines.line}>
                <span className={lines.number}>{nameOf(relative.key) || relative.filename}</span>
                <span className={lines.by}>
                  <span>{t("versions.version", { version: versionOf(relative) })}</span>
                  {relative.step && <span>{relative.step}</span>}
                  <Time at={relative.created_at} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
