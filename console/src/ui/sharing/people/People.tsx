/** People with access, each with a permission and a remove button. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { PersonLine } from "@/ui/PersonLine";
import styles from "@/ui/sharing/ShareDialog.module.css";
import { Tag } from "@/ui/Tag";

import own from "./People.module.css";
import { PermissionSelect } from "./PermissionSelect";
import type { SharedThing, SharePermission, Sharing, Steps } from "./shares";

interface Props extends Steps {
  thing: SharedThing;
  share: Sharing;
}

export function People({ thing, share, ...steps }: Props) {
  const names = useNames();
  return (
    <ul className={styles.grants} aria-label={t("sharing.people.present")}>
      <li className={styles.grant}>
        <PersonLine name={names.of(thing.owner)} second={names.find(thing.owner)?.username} />
        <span className={own.owner}>
          <Tag>{t("sharing.owner")}</Tag>
        </span>
      </li>
      {thing.shared_with.map((grant) => {
        const name = names.of(grant.user_id);
        return (
          <li key={grant.user_id} className={styles.grant}>
            <PersonLine name={name} second={names.find(grant.user_id)?.username ?? t("sharing.people.elsewhere")} />
            <PermissionSelect
              {...steps}
              quiet
              label={t("sharing.may.of", { name })}
              value={grant.permission as SharePermission}
              disabled={share.isPending}
              onChange={(permission) => share.mutate({ user_id: grant.user_id, permission })}
            />
            <Tooltip label={t("sharing.people.remove", { name })} openDelay={300}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                disabled={share.isPending}
                aria-label={t("sharing.people.remove", { name })}
                onClick={() => share.mutate({ user_id: grant.user_id, permission: null })}
              >
                <IconX aria-hidden size={16} />
              </ActionIcon>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}
