/** What somebody may do with a note: each step holds those before it. */

import { Select } from "@mantine/core";

import { t } from "@/i18n";

import { LADDER, type NotePermission } from "../rights";
import styles from "./ShareDialog.module.css";

interface Props {
  label: string;
  /** The label is for those who hear it; the row says it to the others. */
  quiet?: boolean;
  value: NotePermission;
  disabled?: boolean;
  onChange: (permission: NotePermission) => void;
}

const NAMES = { "notes:read": "read", "notes:write": "write", "notes:delete": "delete", "notes:manage": "manage" } as const;

export function PermissionSelect({ label, quiet, value, disabled, onChange }: Props) {
  return (
    <Select
      className={styles.permission}
      {...(quiet ? { "aria-label": label } : { label })}
      allowDeselect={false}
      disabled={disabled}
      data={LADDER.map((permission) => ({ value: permission, label: t(`notes.may.${NAMES[permission]}`) }))}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen as NotePermission)}
    />
  );
}
