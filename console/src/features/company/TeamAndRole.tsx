/** Fields for a team, a team role and an optional company role. */

import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import type { Schemas } from "@/api/client";
import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./PeopleScreen.module.css";
import { useCompany } from "./queries";
import { givable } from "./rules";

/** The worker role is for executors. */
export type GivenRole = Exclude<Schemas["Role"], "worker">;

const IN_ANY_TEAM: readonly GivenRole[] = ["owner", "admin", "member", "viewer", "guest"];

/** A reviewer includes a translator; both work beyond the company, so only translators can assign them. */
const BEYOND = ["translator", "reviewer"] as const;

interface Values {
  [field: string]: unknown;
  team_id: string;
  role: GivenRole;
  org_role: string;
}

export function TeamAndRole<Given extends Values>({ form }: { form: UseFormReturnType<Given> }) {
  const session = useSession();
  const company = useCompany();
  const teams = company.data?.teams.map((team) => ({ value: team.id, label: team.name })) ?? [];
  const roles = [
    ...IN_ANY_TEAM,
    ...BEYOND.filter((role) => session.can(role === "reviewer" ? "localization:review" : "localization:translate")),
  ];
  const orgRoles = givable(session).map((role) => ({ value: role ?? "", label: role ? t(`role.${role}`) : t("company.role.none") }));
  return (
    <>
      <div className={styles.pair}>
        <Select label={t("field.team")} required searchable data={teams} nothingFoundMessage={t("company.add.team.none")} {...form.getInputProps("team_id")} />
        <Select
          label={t("company.add.role")}
          allowDeselect={false}
          data={roles.map((role) => ({ value: role, label: t(`role.${role}`) }))}
          {...form.getInputProps("role")}
        />
      </div>
      <Select label={t("company.column.role")} description={t("company.role.scope")} allowDeselect={false} data={orgRoles} {...form.getInputProps("org_role")} />
    </>
  );
}
