/** A role to choose, each with what it means. */

import { Radio } from "@mantine/core";

import { useSession } from "@/app/session";
import { t } from "@/i18n";

import styles from "./Members.module.css";
import { givable, type Given } from "./roles";

interface Props {
  label: string;
  value: string;
  onChange: (role: Given) => void;
  error?: React.ReactNode;
}

export function RoleChoice({ label, value, onChange, error }: Props) {
  const session = useSession();
  return (
    <Radio.Group label={label} value={value} onChange={(role) => onChange(role as Given)} error={error}>
      <div className={styles.roles}>
        {givable(session).map((role) => (
          <Radio
            key={role}
            value={role}
            label={t(`role.${role}`)}
            description={t(`members.role.is.${role}`)}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
