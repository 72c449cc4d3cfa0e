/** Creates a token: name, expiry and scope; then shows it once. */

import { Button, Select, TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { useMakeToken, type IssuedToken } from "@/api/tokens";
import { t } from "@/i18n";
import { useSession } from "@/session";

import { Dialog, DialogActions } from "../Dialog";
import { Fault, useSending } from "../forms";
import type { Opening } from "../opening";
import { SecretOnce } from "../SecretOnce";
import { ScopeChoice } from "./ScopeChoice";

const DAY = 86_400;
const LIVES = { week: 7 * DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY, never: "never" } as const;
type Life = keyof typeof LIVES;

interface Props {
  opening: Opening;
  /** How to use the token, shown below it. */
  more?: (token: string) => ReactNode;
}

/** Mounted with the screen, so that the second dialog can follow the first. */
export function NewToken({ opening, more }: Props) {
  const opened = opening.useOpened();
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  if (issued) return <Made issued={issued} more={more?.(issued.token)} onClose={() => setIssued(null)} />;
  return opened ? <NewTokenDialog onClose={opening.close} onIssued={setIssued} /> : null;
}
function NewTokenDialog({ onClose, onIssued }: { onClose: () => void; onIssued: (issued: IssuedToken) => void }) {
  const { me } = useSession();
  const make = useMakeToken();
  const { form, sending, fault, submit } = useSending(
    { name: "", life: "quarter" as Life, scope: (me.scope === null ? null : []) as string[] | null },
    async ({ name, life, scope }) => {
      if (scope?.length === 0) {
        form.setFieldError("scope", t("tokens.new.scope.none"));
        return;
      }
      const issued = await make({ name: name.trim(), ttl: LIVES[life], scope });
      onClose();
      onIssued(issued);
    },
  );
  return (
    <Dialog title={t("tokens.new")} onClose={onClose} wide>
      <form onSubmit={submit}>
        <TextInput
          label={t("tokens.new.name")}
          description={t("tokens.new.name.hint")}
          placeholder={t("tokens.new.name.example")}
          maxLength={80}
          required
          {...form.getInputProps("name")}
        />
        <Select
          label={t("tokens.new.life")}
          description={form.values.life === "never" ? t("tokens.life.never.hint") : undefined}
          data={(Object.keys(LIVES) as Life[]).map((life) => ({ value: life, label: t(`tokens.life.${life}`) }))}
          allowDeselect={false}
          {...form.getInputProps("life")}
        />
        <ScopeChoice value={form.values.scope} onChange={(scope) => form.setFieldValue("scope", scope)} error={form.errors.scope} />
        <Fault fault={fault} fields={["name", "scope"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("tokens.new.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Made({ issued, more, onClose }: { issued: IssuedToken; more?: ReactNode; onClose: () => void }) {
  const { me } = useSession();
  return (
    <SecretOnce
      title={t("tokens.made.title", { name: issued.name })}
      secrets={[issued.token]}
      filename={`token-${issued.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.txt`}
      heading={t("tokens.made.heading", { name: issued.name, team: me.team.name, place: location.host })}
      more={more}
      onClose={onClose}
    >
      {t("tokens.made.words")}
    </SecretOnce>
  );
}
