/** Columns of the token table. */

import type { Member } from "@/api/people";
import { t } from "@/i18n";
import type { Column } from "@/ui/DataTable";
import { NameCell } from "@/ui/NameCell";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";

import type { ApiToken } from "./queries";
import { ScopeWords } from "./ScopeWords";
import styles from "./Tokens.module.css";

const SOON = 7 * 86_400_000;

export function columnsFor(people: readonly Member[]): Column<ApiToken>[] {
  const nameOf = (token: ApiToken): string =>
    people.find((person) => person.user_id === token.user_id)?.display_name ?? t("tokens.person.gone");
  return [
    {
      title: t("tokens.column.name"),
      cell: (token) => (
        <NameCell name={token.name}>
          <code>{token.hint}…</code>
        </NameCell>
      ),
    },
    { title: t("tokens.column.scope"), cell: (token) => <ScopeWords token={token} person={nameOf(token)} /> },
    { title: t("tokens.column.person"), cell: nameOf },
    { title: t("tokens.column.created"), cell: (token) => <Time at={token.created_at} /> },
    {
      title: t("tokens.column.used"),
      cell: (token) =>
        token.last_used_at ? <Time at={token.last_used_at} /> : <span className="muted">{t("tokens.used.never")}</span>,
    },
    { title: t("tokens.column.expires"), cell: (token) => <Expiry at={token.expires_at} /> },
  ];
}

function Expiry({ at }: { at: string | null }) {
  if (!at) return <span className="muted">{t("tokens.never")}</span>;
  const left = new Date(at).getTime() - Date.now();
  return (
    <span className={styles.expiry}>
      <Time at={at} />
      {left <= 0 && <Tag tone="danger">{t("tokens.expired")}</Tag>}
      {left > 0 && left < SOON && <Tag tone="warning">{t("tokens.expires.soon")}</Tag>}
    </span>
  );
}
