/** Banner of an old version, with a restore button. */

import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";

import { ago, t } from "@/i18n";
import { notice, noticeFault } from "@/ui/notice";
import { Time } from "@/ui/Time";
import type { Version } from "@/ui/versions/queries";

import { useRestore, type FileObject } from "../queries";
import styles from "./Object.module.css";

export function OldVersion({ file, version, mayRestore }: { file: FileObject; version: Version; mayRestore: boolean }) {
  const restore = useRestore(file);
  const go = useNavigate();
  async function perform(): Promise<void> {
    try {
      const made = await restore.mutateAsync(version);
      await go({ to: "/files/$id", params: { id: file.id }, search: {} });
      notice(t("versions.restored", { old: version.number, version: made.version }));
    } catch (fault) {
      noticeFault(fault);
    }
  }
  return (
    <div className={styles.old} role="status">
      <IconHistory aria-hidden size={18} />
      <p>
        <Time at={version.created_at}>{t("files.old", { version: version.number, newest: file.version, when: ago(version.created_at) })}</Time>
      </p>
      {mayRestore && (
        <Button size="compact-sm" loading={restore.isPending} onClick={() => void perform()}>
          {t("versions.restore", { version: version.number })}
        </Button>
      )}
      <Button size="compact-sm" variant="default" renderRoot={(props) => <Link {...props} to="/files/$id" params={{ id: file.id }} search={{}} />}>
        {t("files.newest")}
      </Button>
    </div>
  );
}
