/** Creates a public link, or changes one in its row: name, expiry and password, all optional. */

import { Button, Checkbox, PasswordInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";

import { Refusal } from "@/api/client";
import { ago, t } from "@/i18n";
import { DialogActions } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";

import { EXPIRIES, expiresAt, today, type Expiry } from "../expiry";
import type { LinkChange, PublicLink } from "./queries";
import styles from "./PublicLinks.module.css";

const MIN_PASSWORD = 8;
const FIELDS = ["name", "password", "expires_at"];

interface Props {
  /** The link that is changed; without, a new one. */
  link?: PublicLink;
  /** Only who made a link can let more people in by it. */
  isOwn: boolean;
  save: { error: unknown; isPending: boolean; mutate: (change: LinkChange, options: { onSuccess: () => void }) => void };
  onClose: () => void;
}

export function LinkForm({ link, isOwn, save, onClose }: Props) {
  const [name, setName] = useState(link?.name ?? "");
  const [password, setPassword] = useState("");
  const [isOpened, setOpened] = useState(false);
  const [expiry, setExpiry] = useState<Expiry | "keep">(link ? "keep" : "never");
  const [day, setDay] = useState("");
  const fault = save.error instanceof Refusal ? save.error : undefined;
  const mayReplace = isOwn || !link?.has_password;

  function submit(event: React.FormEvent): void {
    event.preventDefault();
    const change: LinkChange = { name };
    if (expiry !== "keep") change.expires_at = expiresAt(expiry, day);
    if (password || isOpened) change.password = password || null;
    save.mutate(change, { onSuccess: onClose });
  }

  const label = link ? t("sharing.link.change", { name: link.name || t("sharing.link.unnamed") }) : t("sharing.link.new");
  return (
    <form className={styles.form} aria-label={label} onSubmit={submit}>
      {!isOwn && link && <p className="muted">{t("sharing.link.by", { name: link.creator_name })}</p>}
      <Fault fault={save.error} fields={FIELDS} />
      <TextInput label={t("sharing.link.name")} description={t("sharing.link.name.hint")} maxLength={100} autoFocus value={name} error={fault?.field("name")} onChange={(event) => setName(event.currentTarget.value)} />
      <div className={styles.pair}>
        <Select
          label={t("sharing.until")}
          allowDeselect={false}
          data={[...(link ? [{ value: "keep", label: keptEnd(link) }] : []), ...EXPIRIES.map((value) => ({ value, label: t(`sharing.expiry.${value}`) }))]}
          value={expiry}
          error={expiry !== "date" && fault?.field("expires_at")}
          onChange={(value) => value && setExpiry(value as Expiry | "keep")}
        />
        {expiry === "date" && <TextInput type="date" required label={t("sharing.day")} min={today()} value={day} error={fault?.field("expires_at")} onChange={(event) => setDay(event.currentTarget.value)} />}
        {mayReplace && (
          <PasswordInput
            label={t(link?.has_password ? "sharing.link.password.new" : "sharing.link.password")}
            description={link?.has_password && t("sharing.link.password.keep")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            autoComplete="new-password"
            minLength={MIN_PASSWORD}
            maxLength={200}
            disabled={isOpened}
            value={isOpened ? "" : password}
            error={fault?.field("password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </div>
      {link?.has_password && isOwn && (
        <Checkbox
          label={t("sharing.link.password.remove")}
          checked={isOpened}
          onChange={(event) => {
            setOpened(event.currentTarget.checked);
            setPassword("");
          }}
        />
      )}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t(link ? "action.save" : "sharing.link.create")}
        </Button>
      </DialogActions>
    </form>
  );
}

const keptEnd = ({ expires_at }: PublicLink): string => `${t("sharing.link.keep")} (${expires_at ? ago(expires_at) : t("sharing.expiry.never")})`;
