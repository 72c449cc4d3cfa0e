/** A public link: address to copy, how often it was used, changing and revoking it. */

import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconPencil, IconX } from "@tabler/icons-react";

import { useState, type ReactNode } from "react";

import { ago, t } from "@/i18n";
import { useSession } from "@/session";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import { LinkForm } from "./LinkForm";
import { useChangeLink, type PublicLink } from "./queries";
import styles from "./PublicLinks.module.css";

interface Props {
  /** Of the file. */
  id: string;
  link: PublicLink;
  busy: boolean;
  onRevoke: () => void;
}

export function LinkRow({ id, link, busy, onRevoke }: Props) {
  const [changing, setChanging] = useState(false);
  const name = link.name || t("sharing.link.unnamed");
  return (
    <li className={styles.row}>
      <span className={styles.words}>
        <span>
          {name} {link.has_password && <Tag>{t("sharing.link.protected")}</Tag>} {!link.works && <Tag tone="warning">{t(isOver(link) ? "sharing.expired" : "sharing.link.dead")}</Tag>}
        </span>
        <small>
          <Facts link={link} />
        </small>
      </span>
      <span className={styles.deeds}>
        {link.url && <Copy url={link.url} name={name} />}
        {link.url && (
          <Action label={t("sharing.link.change", { name })} isOpen={changing} onClick={() => setChanging(!changing)}>
            <IconPencil aria-hidden size={16} />
          </Action>
        )}
        <Action label={t("sharing.link.revoke", { name })} disabled={busy} onClick={onRevoke}>
          <IconX aria-hidden size={16} />
        </Action>
      </span>
      {changing && <Change id={id} link={link} onClose={() => setChanging(false)} />}
    </li>
  );
}

interface ActionProps {
  label: string;
  isOpen?: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Action({ label, isOpen, disabled, onClick, children }: ActionProps) {
  return (
    <Tooltip label={label} openDelay={300}>
      <ActionIcon variant="subtle" color="gray" size={36} disabled={disabled} aria-label={label} aria-expanded={isOpen} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function Change({ id, link, onClose }: { id: string; link: PublicLink; onClose: () => void }) {
  const { me } = useSession();
  const change = useChangeLink(id, link.id);
  return <LinkForm link={link} isOwn={link.created_by === me.user.id} save={change} onClose={onClose} />;
}

const isOver = ({ expires_at }: PublicLink): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();

function Facts({ link }: { link: PublicLink }) {
  return (
    <>
      {link.expires_at ? (
        <Time at={link.expires_at}>{t(isOver(link) ? "sharing.ended" : "sharing.ends", { when: ago(link.expires_at) })}</Time>
      ) : (
        t("sharing.endless")
      )}
      {" · "}
      {t("sharing.link.used", { views: link.views, downloads: link.downloads })}
      {link.last_used_at && (
        <>
          {" · "}
          <Time at={link.last_used_at}>{t("sharing.link.last", { when: ago(link.last_used_at) })}</Time>
        </>
      )}
    </>
  );
}

function Copy({ url, name }: { url: string; name: string }) {
  return (
    <CopyButton value={url}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="compact-md"
          title={url}
          aria-label={copied ? t("action.copied") : t("sharing.link.copy", { name })}
          leftSection={copied ? <IconCheck aria-hidden size={15} /> : <IconCopy aria-hidden size={15} />}
          onClick={copy}
        >
          {copied ? t("action.copied") : t("action.copy")}
        </Button>
      )}
    </CopyButton>
  );
}
