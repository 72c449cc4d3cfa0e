/** Renames a company; the slug doesn't change, since links use it. */

import { Button, TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { Section } from "@/ui/Page";

import { useChangeCompany, type Company } from "../queries";
import styles from "./Companies.module.css";

export function Naming({ company }: { company: Company }) {
  const change = useChangeCompany(company.slug);
  const { form, sending, fault, submit } = useSending({ name: company.name }, async ({ name }) => {
    const changed = await change.mutateAsync({ name });
    notice(t("companies.renamed", { company: changed.name }));
  });
  return (
    <Section title={t("companies.name")} intro={t("companies.name.words")}>
      <form className={styles.inline} onSubmit={submit}>
        <TextInput aria-label={t("companies.name")} required maxLength={80} {...form.getInputProps("name")} />
        <Button type="submit" variant="default" loading={sending} disabled={form.values.name.trim() === company.name}>
          {t("companies.rename")}
        </Button>
        <Fault fault={fault} fields={["name"]} />
      </form>
    </Section>
  );
}
