/** Public links that have not expired: of what, by whom, until when, how often used; revoking them. */

import { Button } from "@mantine/core";
import { IconWorld } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { ago, t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { DataTable, type Column } from "@/ui/DataTable";
import { screenOf } from "@/ui/documents";
import { Endless } from "@/ui/endless";
import { notice } from "@/ui/notice";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./LinksScreen.module.css";
import { useLinks, useRevoke, type AdministeredLink, type Scope } from "./queries";

export function LinksScreen({ scope }: { scope: Scope }) {
  const links = useLinks(scope);
  const [ending, setEnding] = useState<AdministeredLink | null>(null);
  const items = links.data ?? [];
  return (
    <Page title={t("links.title")} intro={t(`links.intro.${scope}`)}>
      {links.isPending && <Loading />}
      {links.isError && !links.data && <Failed error={links.error} again={() => void links.refetch()} />}
      {links.data && items.length === 0 && !links.hasNextPage && (
        <Empty title={t("links.none")} icon={IconWorld}>
          {t("links.none.words")}
        </Empty>
      )}
      {items.length > 0 && (
        <DataTable
          caption={t("links.title")}
          rows={items}
          keyOf={({ id }) => id}
          columns={columnsFor(scope)}
          actions={(link) => (
            <Button variant="default" size="compact-sm" aria-label={t("links.revoke.of", { title: titleOf(link) })} onClick={() => setEnding(link)}>
              {t("links.revoke")}
            </Button>
          )}
        />
      )}
      <Endless query={links} />
      {ending && <Revocation scope={scope} link={ending} onClose={() => setEnding(null)} />}
    </Page>
  );
}

const titleOf = ({ title }: AdministeredLink): string => title ?? t("links.hidden");

const columnsFor = (scope: Scope): readonly Column<AdministeredLink>[] => [
  { title: t("links.column.of"), cell: (link) => <Of link={link} /> },
  ...(scope === "company" ? [{ title: t("links.column.team"), cell: (link: AdministeredLink) => link.team_name }] : []),
  {
    title: t("links.column.by"),
    cell: (link) => (
      <span className={styles.stack}>
        {link.creator_name || t("names.somebody")}
        <Time at={link.created_at} />
      </span>
    ),
  },
  { title: t("links.column.ends"), cell: ({ expires_at }) => (expires_at ? <Time at={expires_at}>{ago(expires_at)}</Time> : t("sharing.expiry.never")) },
  {
    title: t("links.column.used"),
    cell: (link) => (
      <span className={styles.stack}>
        {t("sharing.link.used", { views: link.views, downloads: link.downloads })}
        {link.last_used_at && <Time at={link.last_used_at}>{t("sharing.link.last", { when: ago(link.last_used_at) })}</Time>}
      </span>
    ),
  },
];

/** Administrators see that there is a link to what they can't read, and no more. */
function Of({ link }: { link: AdministeredLink }) {
  return (
    <span className={styles.of}>
      {link.title === null ? (
        <span className="muted">{t("links.hidden")}</span>
      ) : (
        <Link to={screenOf(link.content_type)} params={{ id: link.object_id }}>
          {link.title}
        </Link>
      )}
      {link.name && <span className="muted">{link.name}</span>}
      {(link.has_password || !link.works) && (
        <span className={styles.tags}>
          {link.has_password && <Tag>{t("sharing.link.protected")}</Tag>}
          {!link.works && (
            <span title={t("links.dead.words")}>
              <Tag tone="warning">{t("links.dead")}</Tag>
            </span>
          )}
        </span>
      )}
    </span>
  );
}

function Revocation({ scope, link, onClose }: { scope: Scope; link: AdministeredLink; onClose: () => void }) {
  const revoke = useRevoke(scope);
  async function perform(): Promise<void> {
    await revoke.mutateAsync(link.id);
    notice(t("links.revoked"));
  }
  return (
    <ConfirmDialog title={t("links.revoke.title")} confirm={t("links.revoke")} perform={perform} onClose={onClose}>
      <p>{t("links.revoke.words", { title: titleOf(link), name: link.creator_name || t("names.somebody") })}</p>
    </ConfirmDialog>
  );
}
