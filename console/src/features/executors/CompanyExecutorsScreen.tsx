/** Executors of the company, and shared ones. */

import { t } from "@/i18n";
import { useSession } from "@/session";

import { Executors } from "./Executors";
import { ExecutorsPage } from "./ExecutorsPage";

export default function CompanyExecutorsScreen() {
  const { me } = useSession();
  return (
    <ExecutorsPage intro={t("executors.intro.company", { company: me.org.name })}>
      <Executors
        plane="company"
        // The API returns all executors to operators.
        concerns={({ org_id: org }) => org === null || org === me.org.id}
        whose={() => t("executors.whose.only", { company: me.org.name })}
      />
    </ExecutorsPage>
  );
}
