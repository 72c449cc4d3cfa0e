/** People with access to a note, each with a permission and a remove button. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { t } from "@/i18n";
import { useNames } from "@/ui/names";
import { PersonLine } from "@/ui/PersonLine";
import styles from "@/ui/sharing/ShareDialog.module.css";
import { Tag } from "@/ui/Tag";

import type { useShareNote } from "../queries";
import type { NotePermission } from "../rights";
import type { Note } from "../text";
import { PermissionSelect } from "./PermissionSelect";
import own from "./ShareDialog.module.css";

export function Grants({ note, share }: { note: Note; share: ReturnType<typeof useShareNote> }) {
  const names = useNames();
  return (
    <ul className={styles.grants} aria-label={t("notes.share.present")}>
      <li className={styles.grant}>
        <PersonLine name={names.of(note.owner)} second={names.find(note.owner)?.username} />
        <span className={own.owner}>
          <Tag>{t("notes.owner")}</Tag>
        </span>
      </li>
      {note.shared_with.map((grant) => {
        const name = names.of(grant.user_id);
        return (
          <li key={grant.user_id} className={styles.grant}>
            <PersonLine name={name} second={names.find(grant.user_id)?.username ?? t("notes.share.elsewhere")} />
            <PermissionSelect
              quiet
              label={t("sharing.may.of", { name })}
              value={grant.permission as NotePermission}
              disabled={share.isPending}
              onChange={(permission) => share.mutate({ user_id: grant.user_id, permission })}
            />
            <Tooltip label={t("notes.share.remove", { name })} openDelay={300}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                disabled={share.isPending}
                aria-label={t("notes.share.remove", { name })}
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
