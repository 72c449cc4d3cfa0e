/** What has changed in a text file since an old version, by words. */

import { useEffect, useState } from "react";

import { t } from "@/i18n";
import { Diff } from "@/ui/diff/Diff";
import { Failed, Loading } from "@/ui/states";
import type { Version } from "@/ui/versions/queries";

import { useBytes, type FileObject } from "../queries";
import styles from "./Object.module.css";

export default function Comparison({ file, version }: { file: FileObject; version: Version }) {
  const older = useText(file.id, version.number);
  const newer = useText(file.id, file.version);
  const failed = [older, newer].find(({ error }) => error);
  if (failed) return <Failed error={failed.error} again={failed.again} />;
  if (older.text === null || newer.text === null) return <Loading />;
  const heads = [t("versions.version", { version: version.number }), t("versions.version", { version: file.version })] as const;
  return (
    <div className={styles.comparison}>
      <Diff older={older.text} newer={newer.text} heads={heads} />
    </div>
  );
}

function useText(id: string, version: number) {
  const { data, error, refetch } = useBytes(id, version, true);
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    void data?.text().then((words) => current && setText(words.replaceAll("\r\n", "\n")));
    return () => void (current = false);
  }, [data]);
  return { text, error, again: () => void refetch() };
}
