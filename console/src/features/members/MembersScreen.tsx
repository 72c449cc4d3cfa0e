/** The team's people; admins can invite, change roles and remove. */

import { Button } from "@mantine/core";
import { IconUserPlus, IconUserSearch } from "@tabler/icons-react";
import { useState } from "react";

import { number, t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";

import { columnsFor } from "./columns";
import { Inviting } from "./InviteDialog";
import { inviting } from "./inviting";
import { MemberMenu, type MemberAction } from "./MemberMenu";
import { useMembers, type Member } from "./queries";
import { RemoveDialog } from "./RemoveDialog";
import { RoleDialog } from "./RoleDialog";

export default function MembersScreen() {
  const { me, can } = useSession();
  const manages = can("members:manage");
  return (
    <Page
      title={t("members.title")}
      intro={t("members.intro", { team: me.team.name })}
      actions={
        manages && (
          <Button leftSection={<IconUserPlus aria-hidden size={16} />} onClick={inviting.open}>
            {t("members.invite")}
          </Button>
        )
      }
    >
      <People manages={manages} />
      {manages && <Inviting />}
    </Page>
  );
}

function People({ manages }: { manages: boolean }) {
  const { me } = useSession();
  const members = useMembers();
  const [wanted, setWanted] = useState("");
  const [task, setTask] = useState<{ action: MemberAction; member: Member } | null>(null);
  if (members.isPending) return <Loading />;
  if (members.isError && !members.data) return <Failed error={members.error} again={() => void members.refetch()} />;
  const all = members.data ?? [];
  const found = all.filter((member) => fits(wanted, member.display_name, member.username));
  const rest = (): void => setTask(null);
  return (
    <>
      <ListFilter
        label={t("members.filter")}
        value={wanted}
        onChange={setWanted}
        count={countOf(found.length, all.length, wanted !== "", members.hasNextPage)}
      />
      {found.length > 0 && (
        <DataTable
          caption={t("members.table")}
          columns={columnsFor(me.user.id)}
          rows={found}
          keyOf={(member) => member.user_id}
          actions={manages ? (member) => <MemberMenu member={member} onAction={(action) => setTask({ action, member })} /> : undefined}
        />
      )}
      {found.length === 0 && !members.hasNextPage && (
        <Empty title={t("members.nobody")} icon={IconUserSearch}>
          {t("members.nobody.words")}
        </Empty>
      )}
      <Endless query={members} eager={wanted !== ""} />
      {manages && all.length === 1 && wanted === "" && <Alone />}
      {task?.action === "role" && <RoleDialog member={task.member} onClose={rest} />}
      {task?.action === "remove" && <RemoveDialog member={task.member} onClose={rest} />}
    </>
  );
}

function Alone() {
  return (
    <Empty
      title={t("members.alone")}
      icon={IconUserPlus}
      action={
        <Button variant="default" onClick={inviting.open}>
          {t("members.invite")}
        </Button>
      }
    >
      {t("members.alone.words")}
    </Empty>
  );
}

function countOf(found: number, all: number, filtered: boolean, more: boolean): string {
  if (filtered) return t("members.count.found", { count: found, all: number(all) });
  return more ? t("members.count.more", { count: all }) : t("members.count", { count: all });
}
