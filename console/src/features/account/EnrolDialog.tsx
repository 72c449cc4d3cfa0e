/** Two-factor setup: show the key, then confirm with a code. */

import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { Failed, Loading } from "@/ui/states";

import styles from "./Account.module.css";
import { prepareFactor, useFactorChanges, type TotpSecret } from "./queries";

interface Props {
  onClose: () => void;
  onCodes: (codes: string[]) => void;
}

export function EnrolDialog({ onClose, onCodes }: Props) {
  // Every opening creates a new key: an unconfirmed one is discarded.
  const secret = useQuery({ queryKey: ["enrolling"], queryFn: prepareFactor, staleTime: Infinity, gcTime: 0 });
  return (
    <Dialog title={t("account.factor")} onClose={onClose}>
      {secret.isPending && <Loading />}
      {secret.isError && <Failed error={secret.error} again={() => void secret.refetch()} />}
      {secret.data && <Confirm secret={secret.data} onClose={onClose} onCodes={onCodes} />}
    </Dialog>
  );
}

function Confirm({ secret, onClose, onCodes }: Props & { secret: TotpSecret }) {
  const { confirm } = useFactorChanges();
  const { form, sending, fault, submit } = useSending({ code: "" }, async ({ code }) => {
    try {
      onCodes(await confirm(code.replace(/\s/g, "")));
      onClose();
    } catch (refusal) {
      if (!(refusal instanceof Refusal && refusal.code === "totp_invalid")) throw refusal;
      form.setFieldError("code", t("account.factor.code.wrong"));
    }
  });
  return (
    <form onSubmit={submit}>
      <div className={styles.enrol}>
        <img className={styles.qr} src={`data:image/svg+xml,${encodeURIComponent(secret.qr_svg)}`} alt={t("account.factor.qr")} />
        <div className={styles.key}>
          <p>{t("account.factor.scan")}</p>
          <p className="muted">{t("account.factor.secret")}</p>
          <Copyable value={secret.secret} short={inFours(secret.secret)} label={t("account.factor.secret")} />
        </div>
      </div>
      <TextInput
        label={t("account.factor.code")}
        description={t("account.factor.code.hint")}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={9}
        required
        {...form.getInputProps("code")}
      />
      <Fault fault={fault} fields={["code"]} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" loading={sending}>
          {t("account.factor.confirm")}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Groups of four are easier to type. */
function inFours(key: string): string {
  return key.match(/.{1,4}/g)?.join(" ") ?? key;
}
