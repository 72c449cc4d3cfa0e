/** Everyone in the company; company admins can change roles and add people. */

import { Button } from "@mantine/core";
import { IconUserPlus, IconUserSearch } from "@tabler/icons-react";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { DataTable } from "@/ui/DataTable";
import { Endless } from "@/ui/endless";
import { Page } from "@/ui/Page";
import { Empty, Failed, Loading } from "@/ui/states";
import { fits, ListFilter } from "@/ui/TextFilter";

import { Adding } from "./AddColleague";
import { columnsFor } from "./columns";
import { addingSomebody } from "./openings";
import { useColleagues, type Colleague } from "./queries";
import { RoleDialog } from "./RoleDialog";
import { reachable } from "./rules";

export default function PeopleScreen() {
  const { me, can } = useSession();
  const manages = can("org:manage");
  return (
    <Page
      title={t("company.people")}
      intro={t(manages ? "company.people.intro.manage" : "company.people.intro", { company: me.org.name })}
      actions={
        manages && (
          <Button leftSection={<IconUserPlus aria-hidden size={16} />} onClick={addingSomebody.open}>
            {t("company.add")}
          </Button>
        )
      }
    >
      <People />
      {manages && <Adding />}
    </Page>
  );
}

function People() {
  const session = useSession();
  const people = useColleagues();
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState<Colleague | null>(null);
  if (people.isPending) return <Loading />;
  if (people.isError && !people.data) return <Failed error={people.error} again={() => void people.refetch()} />;
  const all = people.data ?? [];
  const found = all.filter((person) => fits(wanted, person.display_name, person.username));
  // Until all pages are loaded there can be another owner: the server checks.
  const owners = people.hasNextPage ? Infinity : all.filter((person) => person.org_role === "org_owner").length;
  return (
    <>
      <ListFilter
        label={t("company.people.filter")}
        value={wanted}
        onChange={setWanted}
        count={t(people.hasNextPage ? "company.people.count.more" : "company.people.count", { count: found.length })}
      />
      {found.length > 0 && (
        <DataTable
          caption={t("company.people")}
          columns={columnsFor(session.me)}
          rows={found}
          keyOf={(person) => person.user_id}
          actions={
            session.can("org:manage")
              ? (person) =>
                  reachable(session, person, owners) && (
                    <Button variant="default" size="compact-sm" onClick={() => setChosen(person)} aria-label={t("company.role.of", { name: person.display_name })}>
                      {t("company.role.change")}
                    </Button>
                  )
              : undefined
          }
        />
      )}
      {found.length === 0 && !people.hasNextPage && (
        <Empty title={t("company.people.nobody")} icon={IconUserSearch}>
          {t("company.people.nobody.words")}
        </Empty>
      )}
      <Endless query={people} eager={wanted !== ""} />
      {session.can("org:manage") && all.length === 1 && wanted === "" && <Alone />}
      {chosen && <RoleDialog person={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function Alone() {
  return (
    <Empty
      title={t("company.people.alone")}
      icon={IconUserPlus}
      action={
        <Button variant="default" onClick={addingSomebody.open}>
          {t("company.add")}
        </Button>
      }
    >
      {t("company.people.alone.words")}
    </Empty>
  );
}
