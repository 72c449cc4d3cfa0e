/** Company select for an executor: all companies, or one. */

import { Select, type SelectProps } from "@mantine/core";

import { t } from "@/i18n";

import { useCompanies } from "./queries";

/** Value for all companies. */
export const EVERYBODY = "";

export function WhoseChoice(props: Pick<SelectProps, "value" | "onChange" | "error">) {
  const companies = useCompanies(true);
  const choices = (companies.data ?? []).map(({ id, name }) => ({ value: id, label: t("executors.whose.only", { company: name }) }));
  return (
    <Select
      label={t("executors.new.whose")}
      description={t("executors.new.whose.hint")}
      data={[{ value: EVERYBODY, label: t("executors.whose.all") }, ...choices]}
      searchable={choices.length > 6}
      allowDeselect={false}
      {...props}
    />
  );
}
