/** Usage this month: by person for team admins, otherwise only your own. */

import { number, t } from "@/i18n";
import { useSession } from "@/session";
import { Bar } from "@/ui/Bar";
import { DataTable, type Column } from "@/ui/DataTable";
import { PersonLine } from "@/ui/PersonLine";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Failed } from "@/ui/states";
import { Tag } from "@/ui/Tag";

import { useSpenders, type Spender } from "./queries";
import styles from "./Usage.module.css";

export function Spenders() {
  const { can } = useSession();
  const whose = can("settings:manage") ? "all" : "own";
  return (
    <section className={styles.part} aria-labelledby="usage-spenders">
      <h2 id="usage-spenders">{t(`usage.spenders.${whose}`)}</h2>
      <p className="muted">{t(`usage.spenders.${whose}.words`)}</p>
      <Table caption={t(`usage.spenders.${whose}`)} />
    </section>
  );
}

function Table({ caption }: { caption: string }) {
  const { me } = useSession();
  const spenders = useSpenders();
  if (spenders.isPending) return <Skeleton shape="table" rows={3} />;
  if (!spenders.data) return <Failed error={spenders.error} again={() => void spenders.refetch()} />;
  if (spenders.data.length === 0) return <p className={styles.nobody}>{t("usage.spenders.none")}</p>;
  return <DataTable caption={caption} rows={spenders.data} keyOf={(spender) => spender.user_id} columns={columnsFor(spenders.data, me.user.id)} />;
}

function columnsFor(spenders: readonly Spender[], ownId: string): Column<Spender>[] {
  const most = Math.max(1, ...spenders.map((spender) => spender.tokens));
  return [
    {
      title: t("usage.spenders.column.name"),
      cell: ({ user_id: id, username, display_name: name }) => (
        <PersonLine name={name ?? username} second={username} mark={id === ownId && <Tag tone="accent">{t("ui.you")}</Tag>} />
      ),
    },
    { title: t("usage.spenders.column.requests"), end: true, cell: ({ requests }) => number(requests) },
    { title: t("usage.spenders.column.tokens"), end: true, cell: ({ tokens }) => <Bar share={tokens / most}>{number(tokens)}</Bar> },
  ];
}
