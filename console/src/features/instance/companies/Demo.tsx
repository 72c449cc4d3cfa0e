/** Empty state for an instance with one company: offers demo companies. */

import { Button } from "@mantine/core";
import { IconBuildingCommunity } from "@tabler/icons-react";
import { useState } from "react";

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";
import { DataTable } from "@/ui/DataTable";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { noticeFault } from "@/ui/notice";
import { Empty } from "@/ui/states";

import { useSeedCompanies } from "../queries";

type DemoCompany = Schemas["DemoCompany"];

/** Mounted with the list: the accounts stay visible after the offer is gone. */
export function Demo({ offered }: { offered: boolean }) {
  const seed = useSeedCompanies();
  const [made, setMade] = useState<DemoCompany[] | null>(null);
  if (made) return <DemoAccounts companies={made} onClose={() => setMade(null)} />;
  if (!offered) return null;
  return (
    <Empty
      title={t("companies.only")}
      icon={IconBuildingCommunity}
      action={
        <Button
          variant="default"
          loading={seed.isPending}
          onClick={() => seed.mutate(undefined, { onSuccess: ({ items }) => setMade(items), onError: noticeFault })}
        >
          {t("companies.demo")}
        </Button>
      }
    >
      {t("companies.only.words")}
    </Empty>
  );
}

function DemoAccounts({ companies, onClose }: { companies: DemoCompany[]; onClose: () => void }) {
  const people = companies.flatMap((company) => company.people.map((person) => ({ ...person, company: company.name })));
  return (
    <Dialog title={t("companies.demo.title")} onClose={onClose} wide>
      <p className="muted">{t("companies.demo.words")}</p>
      <DataTable
        caption={t("companies.demo.title")}
        rows={people}
        keyOf={(person) => person.username}
        columns={[
          { title: t("field.username"), cell: (person) => <code>{person.username}</code> },
          { title: t("field.password"), cell: (person) => <code>{person.password}</code> },
          { title: t("field.company"), cell: (person) => person.company },
        ]}
      />
      <DialogActions>
        <Button onClick={onClose}>{t("action.close")}</Button>
      </DialogActions>
    </Dialog>
  );
}
