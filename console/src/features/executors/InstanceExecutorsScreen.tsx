/** All executors of the instance. */

import { t } from "@/i18n";

import { Executors } from "./Executors";
import { ExecutorsPage } from "./ExecutorsPage";
import { useCompanies } from "./queries";

export default function InstanceExecutorsScreen() {
  const companies = useCompanies(true);
  const whose = (id: string): string => companies.data?.find((company) => company.id === id)?.name ?? t("executors.whose.one");
  return (
    <ExecutorsPage intro={t("executors.intro")}>
      <Executors plane="instance" concerns={() => true} whose={whose} />
    </ExecutorsPage>
  );
}
