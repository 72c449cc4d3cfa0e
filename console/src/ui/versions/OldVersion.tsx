/** Above an old version: which one it is, how it is shown, and what brings it back. */

import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { t } from "@/i18n";
import { Forward } from "@/ui/Back";
import { notice, noticeFault } from "@/ui/notice";
import { Segments } from "@/ui/Segments";

import { NEWEST, pairOf, type Against, type Search, type Shown, type View } from "./address";
import styles from "./OldVersion.module.css";

interface Props {
  shown: Shown;
  newest: number;
  views: readonly View[];
  /** Brings it back as a new version; for those who may, once its content is there. */
  restore?: () => Promise<{ version: number }>;
}

export function OldVersion({ shown, newest, views, restore }: Props) {
  const go = useNavigate();
  const change = (to: Partial<Record<keyof Search, unknown>>) => go({ to: ".", search: (now: Search) => ({ ...now, ...to }) as never, replace: true });
  const [from, to] = pairOf(shown, newest);
  const isRead = shown.view === "read";
  return (
    <section className={styles.old} aria-label={t("versions.compare")}>
      <h2>
        <IconHistory aria-hidden size={17} />
        {t("versions.version", { version: isRead ? shown.version : from })}
        {!isRead && from !== to && (
          <span>
            <Forward /> {to}
          </span>
        )}
      </h2>
      {views.length > 1 && (
        <Segments<View>
          aria-label={t("versions.view")}
          value={shown.view}
          onChange={(view) => void change({ view, quote: undefined })}
          data={views.map((value) => ({ value, label: t(`versions.view.${value}`) }))}
        />
      )}
      {!isRead && (
        <Segments<Against>
          aria-label={t("versions.with")}
          value={shown.against}
          onChange={(against) => void change({ against })}
          data={(["newest", "before"] as const).map((value) => ({ value, label: t(`versions.with.${value}`) }))}
        />
      )}
      <span className={styles.space} />
      {restore && <Restore version={shown.version} restore={restore} onDone={() => change(NEWEST)} />}
      <Button size="compact-md" variant="default" renderRoot={(props) => <Link {...props} to="." search={(now: Search) => ({ ...now, ...NEWEST }) as never} replace />}>
        {t("files.newest")}
      </Button>
    </section>
  );
}

function Restore({ version, restore, onDone }: { version: number; restore: NonNullable<Props["restore"]>; onDone: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false);
  async function perform(): Promise<void> {
    setBusy(true);
    try {
      const made = await restore();
      await onDone();
      notice(t("versions.restored", { old: version, version: made.version }));
    } catch (fault) {
      noticeFault(fault);
      setBusy(false);
    }
  }
  return (
    <Button size="compact-md" loading={isBusy} onClick={() => void perform()}>
      {t("versions.restore", { version })}
    </Button>
  );
}
