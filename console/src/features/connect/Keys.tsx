/** The user's keys: scope, last use, and revoke. */

import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { DataTable, type Column } from "@/ui/DataTable";
import { NameCell } from "@/ui/NameCell";
import { Empty } from "@/ui/states";
import { Time } from "@/ui/Time";

import styles from "./Connect.module.css";
import { making } from "./making";
import type { AccessKey } from "./queries";
import { RevokeDialog } from "./RevokeDialog";
import { wordsOf } from "./scope";

export function Keys({ keys }: { keys: readonly AccessKey[] }) {
  const [ending, setEnding] = useState<AccessKey | null>(null);
  if (keys.length === 0) return <NoKeys />;
  return (
    <>
      <DataTable
        caption={t("connect.keys")}
        columns={columns()}
        rows={keys}
        keyOf={(key) => key.id}
        actions={(key) => (
          <Button variant="default" size="xs" aria-label={t("connect.revoke.named", { name: key.name })} onClick={() => setEnding(key)}>
            {t("connect.revoke")}
          </Button>
        )}
      />
      {ending && <RevokeDialog target={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function NoKeys() {
  return (
    <Empty
      title={t("connect.empty")}
      icon={IconKey}
      action={
        <Button variant="default" onClick={making.open}>
          {t("connect.empty.do")}
        </Button>
      }
    >
      {t("connect.empty.words")}
    </Empty>
  );
}

function columns(): Column<AccessKey>[] {
  return [
    { title: t("connect.column.name"), cell: nameOf },
    { title: t("connect.column.may"), cell: (key) => <May scope={key.scope} /> },
    { title: t("connect.column.created"), cell: (key) => <When at={key.created_at} /> },
    { title: t("connect.column.used"), cell: (key) => <When at={key.last_used_at} /> },
  ];
}

function nameOf({ name, access_key_id: id }: AccessKey) {
  return (
    <NameCell name={name}>
      <code>{id}</code>
    </NameCell>
  );
}

function When({ at }: { at: string | null }) {
  return <span className={styles.when}>{at ? <Time at={at} /> : <span className="muted">{t("connect.used.never")}</span>}</span>;
}

function May({ scope }: { scope: AccessKey["scope"] }) {
  return (
    <span className={styles.may}>
      {wordsOf(scope).map((words) => (
        <span key={words}>{words}</span>
      ))}
    </span>
  );
}
