/** Hostname of a company; unique to it. */

import { Button, TextInput } from "@mantine/core";

import { t } from "@/i18n";
import { Fault, useSending } from "@/ui/forms";
import { notice, noticeFault } from "@/ui/notice";
import { Section } from "@/ui/Page";

import { useChangeCompany, type Company } from "../queries";
import styles from "./Companies.module.css";

export function Hostname({ company }: { company: Company }) {
  const change = useChangeCompany(company.slug);
  const { form, sending, fault, submit } = useSending({ domain: company.domain ?? "" }, async ({ domain }) => {
    const changed = await change.mutateAsync({ domain: domain.trim() });
    notice(t("companies.host.set", { company: changed.name, host: changed.domain }));
  });
  const clear = (): void =>
    change.mutate({ domain: null }, { onSuccess: () => notice(t("companies.host.cleared")), onError: noticeFault });
  return (
    <Section title={t("companies.host")} intro={t("companies.host.words")}>
      <form className={styles.inline} onSubmit={submit}>
        <TextInput
          aria-label={t("companies.host")}
          placeholder={t("companies.host.example")}
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps("domain")}
        />
        <Button type="submit" variant="default" loading={sending} disabled={form.values.domain.trim() === (company.domain ?? "")}>
          {t("companies.host.do")}
        </Button>
        {company.domain && (
          <Button variant="subtle" color="danger" disabled={change.isPending} onClick={clear}>
            {t("companies.host.clear")}
          </Button>
        )}
        <Fault fault={fault} fields={["domain"]} />
      </form>
    </Section>
  );
}
