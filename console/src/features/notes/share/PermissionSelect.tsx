/** Permission select for a note. */

import type { ComponentProps } from "react";

import { t } from "@/i18n";
import { StepSelect } from "@/ui/sharing/StepSelect";

import { LADDER, type NotePermission } from "../rights";

type Props = Omit<ComponentProps<typeof StepSelect<NotePermission>>, "steps" | "wordsOf">;

const NAMES = { "notes:read": "read", "notes:write": "write", "notes:delete": "delete", "notes:manage": "manage" } as const;

export function PermissionSelect(props: Props) {
  return <StepSelect {...props} steps={LADDER} wordsOf={(permission) => t(`notes.may.${NAMES[permission]}`)} />;
}
