/** The team's API tokens: owner, scope, last use; create and revoke. */

import { Button } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { usePeople } from "@/api/people";
import { ago, t } from "@/i18n";
import { useSession } from "@/session";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { DataTable } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { notice } from "@/ui/notice";
import { NewToken } from "@/ui/newToken/NewTokenDialog";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { Time } from "@/ui/Time";

import { columnsFor } from "./columns";
import { making } from "./making";
import { useRevoke, useTokens, type ApiToken } from "./queries";

export default function TokensScreen() {
  const { me } = useSession();
  return (
    <Page
      title={t("tokens.title")}
      intro={t("tokens.intro", { team: me.team.name })}
      actions={
        <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={making.open}>
          {t("tokens.new")}
        </Button>
      }
    >
      <Tokens />
      <NewToken opening={making} />
    </Page>
  );
}

function Tokens() {
  const tokens = useTokens();
  const people = usePeople();
  const [ending, setEnding] = useState<ApiToken | null>(null);
  if (tokens.isPending || people.isPending) return <Loading />;
  if (tokens.isError && !tokens.data) return <Failed error={tokens.error} again={() => void tokens.refetch()} />;
  const rows = tokens.data ?? [];
  if (rows.length === 0) {
    return (
      <Empty title={t("tokens.empty")} icon={IconKey} action={<MakeOne />}>
        {t("tokens.empty.words")}
      </Empty>
    );
  }
  return (
    <>
      <DataTable
        caption={t("tokens.table")}
        columns={columnsFor(people.data ?? [])}
        rows={rows}
        keyOf={(token) => token.id}
        actions={(token) => (
          <Button
            variant="default"
            size="xs"
            aria-label={t("tokens.revoke.named", { name: token.name })}
            onClick={() => setEnding(token)}
          >
            {t("tokens.revoke")}
          </Button>
        )}
      />
      <Endless query={tokens} />
      {ending && <RevokeDialog token={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function MakeOne() {
  return (
    <Button variant="default" onClick={making.open}>
      {t("tokens.new")}
    </Button>
  );
}

function RevokeDialog({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const revoke = useRevoke();
  const { name, hint, last_used_at: used } = token;

  async function perform(): Promise<void> {
    await revoke(token.id);
    notice(t("tokens.revoke.done", { name }));
  }

  return (
    <ConfirmDialog
      title={t("tokens.revoke.title", { name })}
      confirm={t("tokens.revoke.named", { name })}
      perform={perform}
      onClose={onClose}
    >
      <p>{t("tokens.revoke.words", { hint })}</p>
      <p className="muted">
        {used ? <Time at={used}>{t("tokens.revoke.used", { when: ago(used) })}</Time> : t("tokens.revoke.unused")}
      </p>
    </ConfirmDialog>
  );
}
