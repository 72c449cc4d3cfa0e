/** Creates another public link: name, expiry and password, all optional. */

import { Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { DialogActions } from "@/ui/Dialog";

import { EXPIRIES, expiresAt, today, type Expiry } from "../expiry";
import type { useCreateLink } from "./queries";
import styles from "./PublicLinks.module.css";

const MIN_PASSWORD = 8;

interface Props {
  create: ReturnType<typeof useCreateLink>;
  onClose: () => void;
}

export function NewLink({ create, onClose }: Props) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("never");
  const [day, setDay] = useState("");
  const fault = create.error instanceof Refusal ? create.error : undefined;

  function add(event: React.FormEvent): void {
    event.preventDefault();
    create.mutate({ name, password: password || null, expires_at: expiresAt(expiry, day) }, { onSuccess: onClose });
  }

  return (
    <form className={styles.form} aria-label={t("sharing.link.new")} onSubmit={add}>
      <TextInput label={t("sharing.link.name")} description={t("sharing.link.name.hint")} maxLength={100} autoFocus value={name} error={fault?.field("name")} onChange={(event) => setName(event.currentTarget.value)} />
      <div className={styles.pair}>
        <Select
          label={t("sharing.until")}
          allowDeselect={false}
          data={EXPIRIES.map((value) => ({ value, label: t(`sharing.expiry.${value}`) }))}
          value={expiry}
          onChange={(value) => value && setExpiry(value as Expiry)}
        />
        {expiry === "date" && <TextInput type="date" required label={t("sharing.day")} min={today()} value={day} error={fault?.field("expires_at")} onChange={(event) => setDay(event.currentTarget.value)} />}
        <PasswordInput label={t("sharing.link.password")} autoComplete="new-password" minLength={MIN_PASSWORD} maxLength={200} value={password} error={fault?.field("password")} onChange={(event) => setPassword(event.currentTarget.value)} />
      </div>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {t("sharing.link.create")}
        </Button>
      </DialogActions>
    </form>
  );
}
