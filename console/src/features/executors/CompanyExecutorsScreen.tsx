/** The executors that work for the company: its own, and those that work for all. */

import { useSession } from "@/app/session";
import { t } from "@/i18n";

import { Executors } from "./Executors";
import { ExecutorsPage } from "./ExecutorsPage";

export default function CompanyExecutorsScreen() {
  const { me } = useSession();
  return (
    <ExecutorsPage intro={t("executors.intro.company", { company: me.org.name })}>
      <Executors
        plane="company"
        // An operator is told of every company's.
        concerns={({ org_id: org }) => org === null || org === me.org.id}
        whose={() => t("executors.whose.only", { company: me.org.name })}
      />
    </ExecutorsPage>
  );
}
