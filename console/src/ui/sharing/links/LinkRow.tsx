/** A public link: address to copy, how often it was used, and revoking it. */

import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconX } from "@tabler/icons-react";

import { ago, t } from "@/i18n";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import type { PublicLink } from "./queries";
import styles from "./PublicLinks.module.css";

interface Props {
  link: PublicLink;
  busy: boolean;
  onRevoke: () => void;
}

export function LinkRow({ link, busy, onRevoke }: Props) {
  const name = link.name || t("sharing.link.unnamed");
  const label = t("sharing.link.revoke", { name });
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
      {link.url && <Copy url={link.url} name={name} />}
      <Tooltip label={label} openDelay={300}>
        <ActionIcon variant="subtle" color="gray" size={36} disabled={busy} aria-label={label} onClick={onRevoke}>
          <IconX aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
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
