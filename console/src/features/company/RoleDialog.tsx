/** Changes a person's company role. */

import { Button, Radio } from "@mantine/core";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";

import styles from "./PeopleScreen.module.css";
import { useChangeOrgRole, type Colleague, type OrgRole } from "./queries";
import { givable, namesOwners } from "./rules";

const NONE = "none";

export function RoleDialog({ person, onClose }: { person: Colleague; onClose: () => void }) {
  const session = useSession();
  const change = useChangeOrgRole();
  const name = person.display_name;
  const before = person.org_role ?? NONE;
  const { form, sending, fault, submit } = useSending({ org_role: before as string }, async ({ org_role: chosen }) => {
    const role = chosen === NONE ? null : (chosen as OrgRole);
    await change.mutateAsync({ id: person.user_id, role });
    onClose();
    notice(role ? t("company.role.done", { name, role: t(`role.${role}`) }) : t("company.role.cleared", { name }));
  });
  return (
    <Dialog title={t("company.role.title", { name })} onClose={onClose}>
      <form onSubmit={submit}>
        <p className="muted">{t("company.role.scope")}</p>
        <Radio.Group label={t("company.column.role")} labelProps={{ className: "sr-only" }} {...form.getInputProps("org_role")}>
          <div className={styles.choices}>
            {givable(session).map((role) => (
              <Radio
                key={role ?? NONE}
                value={role ?? NONE}
                label={role ? t(`role.${role}`) : t("company.role.none")}
                description={t(`company.role.is.${role ?? NONE}`)}
              />
            ))}
          </div>
        </Radio.Group>
        {!namesOwners(session) && <p className="muted">{t("company.role.owners")}</p>}
        <Fault fault={fault} fields={["org_role"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending} disabled={form.values.org_role === before}>
            {t("company.role.do")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
