/** Shares of an item: who, permission and expiry, each changed in place. Expired shares are marked until removed. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconUsersGroup, IconX } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { PersonLine } from "@/ui/PersonLine";
import { Tag } from "@/ui/Tag";

import { EndForm, EndMenu } from "./End";
import type { Grant, SharingKind } from "./kinds";
import { LevelSelect } from "./LevelSelect";
import type { Sharer } from "./queries";
import styles from "./Sharing.module.css";

interface Props<Level extends string> {
  kind: SharingKind<Level>;
  grants: readonly Grant<Level>[];
  share: Sharer<Level>;
}

export function Grants<Level extends string>({ grants, ...props }: Props<Level>) {
  if (grants.length === 0) return <p className={styles.none}>{t("sharing.none")}</p>;
  return (
    <ul className={styles.grants} aria-label={t("sharing.present")}>
      {grants.map((grant) => (
        <GrantRow key={`${grant.principal_type} ${grant.principal_id}`} grant={grant} {...props} />
      ))}
    </ul>
  );
}

function GrantRow<Level extends string>({ kind, grant, share }: Omit<Props<Level>, "grants"> & { grant: Grant<Level> }) {
  const { principal_type, principal_id, capability, expires_at, expired } = grant;
  const [picksDay, setPicksDay] = useState(false);
  const name = grant.name || t("names.somebody");
  const label = t("sharing.remove", { name });
  const change = (wanted: { capability?: Level | null; expires_at?: string | null }): void =>
    share.mutate({ principal_type, principal_id, capability, expires_at, ...wanted });
  function end(at: string | null): void {
    setPicksDay(false);
    change({ expires_at: at });
  }
  const until = <EndMenu name={name} at={expires_at} over={expired} busy={share.isPending} onEnd={end} onDay={() => setPicksDay(true)} />;
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
            {until}
          </span>
        </span>
      )}
      <LevelSelect
        quiet
        kind={kind}
        label={t("sharing.may.of", { name })}
        value={capability}
        disabled={share.isPending || expired}
        onChange={(wanted) => change({ capability: wanted })}
      />
      <Tooltip label={label} openDelay={300}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          disabled={share.isPending}
          aria-label={label}
          onClick={() => change({ capability: null, expires_at: null })}
        >
          <IconX aria-hidden size={16} />
        </ActionIcon>
      </Tooltip>
      {picksDay && <EndForm name={name} busy={share.isPending} onEnd={end} onClose={() => setPicksDay(false)} />}
    </li>
  );
}
