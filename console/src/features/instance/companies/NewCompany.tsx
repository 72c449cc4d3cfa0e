/** Creates a company with its first team and owner, who gets a link or a token, shown once. */

import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { NewPassword } from "@/ui/NewPassword";
import { SlugInput } from "@/ui/SlugInput";

import { newCompany } from "../openings";
import { useCreateCompany, type Plan } from "../queries";
import styles from "./Companies.module.css";
import { Handover } from "./Handover";
import { PLAN_NAMES } from "./plans";

/** Mounted with the screen, so that the second dialog can follow the first. */
export function Creating() {
  const opened = newCompany.useOpened();
  const [created, setCreated] = useState<Schemas["CompanyCreated"] | null>(null);
  if (created) return <Handover created={created} onClose={() => setCreated(null)} />;
  return opened ? <NewCompany onClose={newCompany.close} onCreated={setCreated} /> : null;
}

const START = { name: "", slug: "", plan: "free" as Plan, domain: "", team: "", username: "", display_name: "", password: "" };

function NewCompany({ onClose, onCreated }: { onClose: () => void; onCreated: (created: Schemas["CompanyCreated"]) => void }) {
  const create = useCreateCompany();
  const { form, sending, fault, submit } = useSending(START, async (values) => {
    const created = await create.mutateAsync({
      name: values.name,
      plan: values.plan,
      ...(values.slug && { slug: values.slug }),
      ...(values.domain.trim() && { domain: values.domain.trim() }),
      ...(values.team.trim() && { team: values.team.trim() }),
      owner: {
        username: values.username.trim(),
        ...(values.display_name.trim() && { display_name: values.display_name.trim() }),
        ...(values.password && { password: values.password }),
      },
    });
    onClose();
    onCreated(created);
  });
  const field = form.getInputProps;
  return (
    <Dialog title={t("companies.new")} onClose={onClose} wide>
      <form onSubmit={submit} autoComplete="off">
        <div className={styles.pair}>
          <TextInput label={t("companies.name")} required maxLength={80} {...field("name")} />
          <SlugInput label={t("company.slug")} name={form.values.name} {...field("slug")} value={form.values.slug} />
          <Select
            label={t("quotas.plan")}
            allowDeselect={false}
            data={PLAN_NAMES.map((plan) => ({ value: plan, label: t(`quotas.plan.${plan}`) }))}
            {...field("plan")}
          />
          <TextInput label={t("field.team")} placeholder={t("field.team.example")} {...field("team")} />
        </div>
        <TextInput
          label={t("companies.host")}
          description={t("companies.host.words")}
          placeholder={t("companies.host.example")}
          autoCapitalize="none"
          spellCheck={false}
          {...field("domain")}
        />
        <fieldset className={styles.group}>
          <legend>{t("companies.owner")}</legend>
          <div className={styles.pair}>
            <TextInput label={t("field.username")} autoCapitalize="none" spellCheck={false} required {...field("username")} />
            <TextInput label={t("field.display_name")} {...field("display_name")} />
          </div>
          <NewPassword
            label={t("companies.owner.password")}
            {...field("password")}
            value={form.values.password}
            {...(form.values.password ? {} : { description: t("companies.owner.password.words") })}
          />
        </fieldset>
        <Fault fault={fault} fields={Object.keys(START)} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("companies.create")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
