/** What has changed from one version of a text to another: as it reads, or by the words of what is stored. */

import { t } from "@/i18n";
import { Diff } from "@/ui/diff/Diff";
import { RenderedDiff } from "@/ui/diff/RenderedDiff";

import styles from "./Compared.module.css";

interface Side {
  version: number;
  text: string;
}

export default function Compared({ older, newer, rendered }: { older: Side; newer: Side; rendered: boolean }) {
  const headOf = ({ version }: Side): string => t("versions.version", { version });
  return (
    <div className={styles.compared}>
      {rendered ? <RenderedDiff older={older.text} newer={newer.text} /> : <Diff older={older.text} newer={newer.text} heads={[headOf(older), headOf(newer)]} />}
    </div>
  );
}
