/** Languages as a table: a bar of what is translated, and its numbers, each with a way to the texts. */

import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconFileExport, IconLanguage, IconTrash, IconWand } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { byName, languageName, number, ownName, t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable, type Column } from "@/ui/DataTable";
import { percent } from "@/ui/quantities";
import { Empty } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import type { Coverage, LocaleCoverage, Status } from "../api";
import { CoverageBar, shareApproved } from "../CoverageBar";
import { DiscardDialog } from "./DiscardDialog";
import styles from "./Languages.module.css";
import { useDrafting, useExport } from "./working";

const COUNTED = ["approved", "machine", "stale", "missing"] as const satisfies readonly Status[];

export function LanguageTable({ coverage: { source, items } }: { coverage: Coverage }) {
  const { can } = useSession();
  const [discarding, setDiscarding] = useState<LocaleCoverage | null>(null);
  const rows = items.filter(({ locale }) => locale !== source).sort((one, other) => byName(languageName(one.locale), languageName(other.locale)));
  if (rows.length === 0) {
    return (
      <Empty title={t("localization.none")} icon={IconLanguage}>
        {t(can("localization:manage") ? "localization.none.words" : "localization.none.reader")}
      </Empty>
    );
  }
  const columns: Column<LocaleCoverage>[] = [
    { title: t("localization.language"), cell: ({ locale }) => <Name locale={locale} /> },
    { title: t("localization.coverage"), cell: (row) => <Share row={row} /> },
    ...COUNTED.map((status) => ({
      title: t(`localization.status.${status}`),
      end: true,
      cell: (row: LocaleCoverage) => <Count row={row} status={status} />,
    })),
    { title: t("localization.waiting"), end: true, cell: (row) => <Waiting row={row} /> },
  ];
  return (
    <div className={styles.languages}>
      <DataTable
        caption={t("localization.title")}
        columns={columns}
        rows={rows}
        keyOf={({ locale }) => locale}
        actions={can("localization:manage") ? (row) => <RowActions row={row} onDiscard={() => setDiscarding(row)} /> : undefined}
      />
      {discarding && <DiscardDialog row={discarding} onClose={() => setDiscarding(null)} />}
    </div>
  );
}

function Name({ locale }: { locale: string }) {
  const [name, own] = [languageName(locale), ownName(locale)];
  return (
    <span className={styles.name}>
      <Link to="/settings/instance/languages/$locale" params={{ locale }}>
        {name}
      </Link>
      <span className="muted">
        {own.toLowerCase() !== name.toLowerCase() && <bdi lang={locale}>{own}</bdi>} <code>{locale}</code>
      </span>
    </span>
  );
}

function Share({ row }: { row: LocaleCoverage }) {
  return (
    <span className={styles.share}>
      <CoverageBar counts={row} />
      <span className="muted">{t("localization.share", { share: percent(shareApproved(row)) })}</span>
    </span>
  );
}

function Count({ row, status }: { row: LocaleCoverage; status: Status }) {
  const count = number(row[status]);
  if (row[status] === 0) return <span className="muted">{count}</span>;
  const label = t("localization.count.of", { count, status: t(`localization.status.${status}`), language: languageName(row.locale) });
  return (
    <Link className={styles.count} to="/settings/instance/languages/$locale" params={{ locale: row.locale }} search={{ status } as never} aria-label={label}>
      {count}
    </Link>
  );
}

function Waiting({ row: { locale, submitted } }: { row: LocaleCoverage }) {
  const { can } = useSession();
  if (submitted === 0) return <span className="muted">{number(0)}</span>;
  if (!can("localization:review")) return <Tag tone="accent">{number(submitted)}</Tag>;
  return (
    <Link
      className={styles.waiting}
      to="/settings/instance/languages/$locale/review"
      params={{ locale }}
      aria-label={t("localization.waiting.of", { count: submitted, language: languageName(locale) })}
    >
      <Tag tone="accent">{number(submitted)}</Tag>
    </Link>
  );
}

function RowActions({ row, onDiscard }: { row: LocaleCoverage; onDiscard: () => void }) {
  const drafting = useDrafting();
  const exporting = useExport();
  const language = languageName(row.locale);
  return (
    <span className={styles.actions}>
      {row.missing > 0 && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconWand aria-hidden size={14} />}
          loading={drafting.busy}
          aria-label={t("localization.draft.of", { language })}
          onClick={() => void drafting.start(row.locale)}
        >
          {t("localization.draft")}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t("localization.more", { language })} loading={exporting.busy}>
            <IconDots aria-hidden size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFileExport aria-hidden size={15} />} onClick={() => void exporting.start(row.locale)}>
            {t("localization.export")}
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash aria-hidden size={15} />} color="danger" disabled={row.machine === 0} onClick={onDiscard}>
            {t("localization.discard")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
