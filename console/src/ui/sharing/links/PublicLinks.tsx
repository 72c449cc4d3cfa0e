/** Public links in the share dialog: on or off, each link with its count, and a form for a new one. */

import { Button, Switch } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Fault } from "@/ui/forms";
import { Failed } from "@/ui/states";

import { RowSkeleton } from "../SharingSkeleton";
import { LinkRow } from "./LinkRow";
import { LinkForm } from "./LinkForm";
import { useCreateLink, useLinks, useRevokeLinks, type PublicLink } from "./queries";
import styles from "./PublicLinks.module.css";

export function PublicLinks({ id }: { id: string }) {
  const links = useLinks(id);
  if (links.isPending) return <RowSkeleton />;
  // Keep showing loaded data: a form that somebody fills in must not vanish because a refetch failed.
  if (!links.data) return <Failed error={links.error} again={() => void links.refetch()} />;
  return <Loaded id={id} links={links.data} />;
}

function Loaded({ id, links }: { id: string; links: readonly PublicLink[] }) {
  const create = useCreateLink(id);
  const revoke = useRevokeLinks(id);
  const [adding, setAdding] = useState(false);
  const [ending, setEnding] = useState(false);
  const isOn = links.length > 0;
  // What was wrong with a link that nobody wants any more isn't said outside of its form.
  function close(): void {
    setAdding(false);
    create.reset();
  }
  return (
    <section className={styles.links} aria-label={t("sharing.link.title")}>
      <div className={styles.head}>
        <p>
          <b>{t("sharing.link.title")}</b>
          <span>{t(isOn ? "sharing.link.on" : "sharing.link.off")}</span>
        </p>
        <Switch
          aria-label={t("sharing.link.title")}
          checked={isOn}
          disabled={create.isPending || revoke.isPending}
          onChange={() => (isOn ? setEnding(true) : create.mutate({}))}
        />
      </div>
      <Fault fault={(adding ? null : create.error) ?? revoke.error} />
      {isOn && (
        <ul className={styles.list} aria-label={t("sharing.link.list")}>
          {links.map((link) => (
            <LinkRow key={link.id} id={id} link={link} busy={revoke.isPending} onRevoke={() => revoke.mutate([link.id])} />
          ))}
        </ul>
      )}
      {isOn && !adding && (
        <Button variant="default" size="compact-md" leftSection={<IconPlus aria-hidden size={15} />} onClick={() => setAdding(true)}>
          {t("sharing.link.new")}
        </Button>
      )}
      {adding && <LinkForm isOwn save={create} onClose={close} />}
      {ending && (
        <ConfirmDialog
          title={t("sharing.link.end")}
          confirm={t("sharing.link.end.do")}
          perform={() => revoke.mutateAsync(links.map((link) => link.id))}
          onClose={() => setEnding(false)}
        >
          <p>{t("sharing.link.end.words", { count: links.length })}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
