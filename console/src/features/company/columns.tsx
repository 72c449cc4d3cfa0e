/** Columns of the people table. */

import { t } from "@/i18n";
import type { Whoami } from "@/session";
import type { Column } from "@/ui/DataTable";
import { PersonLine } from "@/ui/PersonLine";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import type { Colleague } from "./queries";

export const columnsFor = (me: Whoami): Column<Colleague>[] => [
  {
    title: t("company.column.name"),
    cell: (person) => (
      <PersonLine
        name={person.display_name}
        second={person.username}
        mark={person.user_id === me.user.id && <Tag tone="accent">{t("ui.you")}</Tag>}
      />
    ),
  },
  {
    title: t("company.column.role"),
    cell: (person) =>
      person.org_role ? (
        <Tag>{t(`role.${person.org_role}`)}</Tag>
      ) : (
        <span className="muted">{t("company.role.none")}</span>
      ),
  },
  {
    title: t("company.column.in_team", { team: me.team.name }),
    cell: (person) => (person.role ? t(`role.${person.role}`) : <span className="muted">{t("company.team.outside")}</span>),
  },
  {
    title: t("company.column.factor"),
    cell: (person) => (person.two_factor ? t("company.factor.on") : <span className="muted">{t("company.factor.off")}</span>),
  },
  {
    title: t("company.column.seen"),
    cell: (person) => (person.last_seen_at ? <Time at={person.last_seen_at} /> : <span className="muted">{t("company.seen.never")}</span>),
  },
];
