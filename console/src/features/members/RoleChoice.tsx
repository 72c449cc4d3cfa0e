/** A role to choose, each with what it can do. Roles that few teams use are under “More roles”. */

import { Button, Collapse, Radio } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";

import styles from "./Members.module.css";
import { givable, isCommon, type Given } from "./roles";

interface Props {
  label: string;
  value: string;
  onChange: (role: Given) => void;
  error?: React.ReactNode;
}

export function RoleChoice({ label, value, onChange, error }: Props) {
  const roles = givable(useSession());
  const [open, setOpen] = useState(!isCommon(value));
  const more = useId();
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <Radio.Group label={label} value={value} onChange={(role) => onChange(role as Given)} error={error}>
      <Options roles={roles.filter(isCommon)} />
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        className={styles.more}
        leftSection={<Arrow aria-hidden size={16} />}
        aria-expanded={open}
        aria-controls={more}
        onClick={() => setOpen(!open)}
      >
        {t("members.role.more")}
      </Button>
      <Collapse expanded={open} id={more}>
        {open && <Options roles={roles.filter((role) => !isCommon(role))} />}
      </Collapse>
    </Radio.Group>
  );
}

function Options({ roles }: { roles: readonly Given[] }) {
  return (
    <div className={styles.roles}>
      {roles.map((role) => (
        <Radio key={role} value={role} label={t(`role.${role}`)} description={t(`members.role.is.${role}`)} />
      ))}
    </div>
  );
}
