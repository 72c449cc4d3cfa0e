/** Banner of an old version, with a restore button. */

import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";

import { ago, t } from "@/i18n";
import { notice, noticeFault } from "@/ui/notice";
import { Segments } from "@/ui/Segments";
import { Time } from "@/ui/Time";
import type { Version } from "@/ui/versions/queries";

import { useRestore, type FileObject } from "../queries";
import styles from "./Object.module.css";

export type OldView = "read" | "changes";

interface Props {
  file: FileObject;
  version: Version;
  mayRestore: boolean;
  /** What is shown of it; undefined if it can't be compared. */
  view?: OldView;
}

export function OldVersion({ file, version, mayRestore, view }: Props) {
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
      {view && (
        <Segments<OldView>
          aria-label={t("versions.view")}
          value={view}
          onChange={(next) => void go({ to: ".", search: { version: version.number, view: next }, replace: true })}
          data={(["read", "changes"] as const).map((value) => ({ value, label: t(`versions.view.${value}`) }))}
        />
      )}
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
