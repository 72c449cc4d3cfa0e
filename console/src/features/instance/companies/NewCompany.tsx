/** A new company: its name and plan, its first team, and its owner, who is handed a link or a token this once. */

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

/** There as long as the screen is; the dialogs inside come and go. */
export function Creating() {
  const opened = newCompany.useOpened();
  const [created, setCreated] = useState<Schemas["CompanyCreated"] | null>(null);
  if (created) return <Handover created={created} onClose={() => setCreated(null)} />;
  return opened ? <NewCompany onClose={newCompany.close} onCreated={setCreated} /> : null;
}

const START = { name: "", slug: "", plan: "free" as Plan, domain: "", team: "", username: "", display_name: "", password: "" };

function NewCompany({ onClose, onCreated }: { onClose: () => void; onCreated: (created: Schemas["CompanyCreated"]) => void }) {
  const create = useCreateCompany();
  const { form, sending, fault, submit } = useSending(START, async (wish) => {
    const created = await create.mutateAsync({
      name: wish.name,
      plan: wish.plan,
      ...(wish.slug && { slug: wish.slug }),
      ...(wish.domain.trim() && { domain: wish.domain.trim() }),
      ...(wish.team.trim() && { team: wish.team.trim() }),
      owner: {
        username: wish.username.trim(),
        ...(wish.display_name.trim() && { display_name: wish.display_name.trim() }),
        ...(wish.password && { password: wish.password }),
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
