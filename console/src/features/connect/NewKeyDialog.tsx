/** Creates a key: name and scope; then its secret, shown once, with settings to paste. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { SecretOnce } from "@/ui/SecretOnce";
import { slugOf } from "@/ui/slug";

import { LimitFields } from "./LimitFields";
import { making } from "./making";
import { useKeyChanges, type NewKey } from "./queries";
import { scopeOf } from "./scope";
import { Settings } from "./Settings";
import { EMPTY } from "./values";

/** Mounted with the screen, so that the second dialog can follow the first. */
export function Making() {
  const opened = making.useOpened();
  const [made, setMade] = useState<NewKey | null>(null);
  if (made) return <Made made={made} onClose={() => setMade(null)} />;
  return opened ? <NewKeyDialog onClose={making.close} onMade={setMade} /> : null;
}

function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: (made: NewKey) => void }) {
  const { make } = useKeyChanges();
  const { form, sending, fault, submit } = useSending(EMPTY, async ({ name, ...limits }) => {
    const made = await make({ name: name.trim(), scope: scopeOf(limits) });
    onClose();
    onMade(made);
  });
  return (
    <Dialog title={t("connect.new.named")} onClose={onClose}>
      <form onSubmit={submit}>
        <TextInput
          label={t("connect.new.name")}
          description={t("connect.new.name.hint")}
          placeholder={t("connect.new.name.example")}
          maxLength={80}
          required
          {...form.getInputProps("name")}
        />
        <LimitFields form={form} />
        <Fault fault={fault} fields={["name"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("connect.new.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Made({ made, onClose }: { made: NewKey; onClose: () => void }) {
  return (
    <SecretOnce
      title={t("connect.made.title", { name: made.name })}
      secrets={[made.secret_access_key]}
      filename={`${slugOf(made.name) || "s3-key"}.txt`}
      heading={useHeading(made)}
      more={<Settings connection={made} />}
      onClose={onClose}
    >
      {t("connect.made.words", { id: made.access_key_id })}
    </SecretOnce>
  );
}

/** Everything needed to connect, for the downloaded file. */
function useHeading({ name, endpoint, bucket, region, access_key_id: id }: NewKey): string {
  const { me } = useSession();
  return [
    t("connect.made.heading", { name, team: me.team.name }),
    `${t("connect.endpoint")}: ${endpoint}`,
    `${t("connect.bucket")}: ${bucket}`,
    `${t("connect.region")}: ${region}`,
    `${t("connect.id")}: ${id}`,
    `${t("connect.secret")}:`,
  ].join("\n");
}
