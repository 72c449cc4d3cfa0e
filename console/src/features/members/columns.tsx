/** Columns of the people table. */

import { IconShieldCheck, IconShieldOff } from "@tabler/icons-react";

import { t } from "@/i18n";
import type { Column } from "@/ui/DataTable";
import { PersonLine } from "@/ui/PersonLine";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import styles from "./Members.module.css";
import type { Member } from "./queries";

export function columnsFor(ownId: string): Column<Member>[] {
  return [
    {
      title: t("members.column.name"),
      cell: (member) => (
        <PersonLine
          name={member.display_name}
          second={member.username}
          mark={member.user_id === ownId && <Tag tone="accent">{t("ui.you")}</Tag>}
        />
      ),
    },
    {
      title: t("members.column.role"),
      cell: (member) => (
        <>
          {member.role && t(`role.${member.role}`)}
          {member.org_role && <span className={styles.second}>{t(`role.${member.org_role}`)}</span>}
        </>
      ),
    },
    { title: t("members.column.factor"), cell: (member) => <Factor on={member.two_factor} /> },
    {
      title: t("members.column.seen"),
      cell: (member) =>
        member.last_seen_at ? <Time at={member.last_seen_at} /> : <span className="muted">{t("members.seen.never")}</span>,
    },
  ];
}

function Factor({ on }: { on: boolean }) {
  const Picture = on ? IconShieldCheck : IconShieldOff;
  return (
    <span className={on ? styles.guarded : styles.unguarded}>
      <Picture aria-hidden size={15} stroke={1.6} />
      {on ? t("members.factor.on") : t("members.factor.off")}
    </span>
  );
}
