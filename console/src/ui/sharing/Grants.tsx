/** Shares of an item: who, permission and expiry. Expired shares are marked until removed. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconUsersGroup, IconX } from "@tabler/icons-react";

import { ago, t } from "@/i18n";
import { PersonLine } from "@/ui/PersonLine";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import { CapabilitySelect } from "./CapabilitySelect";
import type { Grant, useShare } from "./queries";
import styles from "./ShareDialog.module.css";

export function Grants({ grants, share }: { grants: readonly Grant[]; share: ReturnType<typeof useShare> }) {
  if (grants.length === 0) return <p className={styles.none}>{t("sharing.none")}</p>;
  return (
    <ul className={styles.grants} aria-label={t("sharing.present")}>
      {grants.map((grant) => (
        <GrantRow key={`${grant.principal_type} ${grant.principal_id}`} grant={grant} share={share} />
      ))}
    </ul>
  );
}

function GrantRow({ grant, share }: { grant: Grant; share: ReturnType<typeof useShare> }) {
  const { principal_type, principal_id, capability, expires_at, expired } = grant;
  const name = grant.name || t("names.somebody");
  const label = t("sharing.remove", { name });
  const until = expires_at ? (
    <Time at={expires_at}>{t(expired ? "sharing.ended" : "sharing.ends", { when: ago(expires_at) })}</Time>
  ) : (
    t("sharing.endless")
  );
  return (
    <li className={styles.grant} data-expired={expired || undefined}>
      {principal_type === "user" ? (
        <PersonLine name={name} second={until} mark={expired && <Tag tone="warning">{t("sharing.expired")}</Tag>} />
      ) : (
        <span className={styles.team}>
          <span className={styles.emblem}>
            <IconUsersGroup aria-hidden size={16} />
          </span>
          <span className={styles.words}>
            <span>
              {name} <Tag tone={expired ? "warning" : "plain"}>{t(expired ? "sharing.expired" : "sharing.team")}</Tag>
            </span>
            <small>{until}</small>
          </span>
        </span>
      )}
      <CapabilitySelect
        quiet
        label={t("sharing.may.of", { name })}
        value={capability}
        disabled={share.isPending || expired}
        onChange={(wanted) => share.mutate({ principal_type, principal_id, capability: wanted, expires_at })}
      />
      <Tooltip label={label} openDelay={300}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          disabled={share.isPending}
          aria-label={label}
          onClick={() => share.mutate({ principal_type, principal_id, capability: null, expires_at: null })}
        >
          <IconX aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}
