/** Share dialog of a note: access level, people, and a form to add one. */

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { AddPerson } from "@/ui/sharing/people/AddPerson";
import { People } from "@/ui/sharing/people/People";
import { LADDER, type SharePermission } from "@/ui/sharing/people/shares";
import { PrivateButShared, WhoSees } from "@/ui/sharing/WhoSees";
import type { Visibility } from "@/ui/writing/text";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useShareNote } from "../queries";
import type { Note, NoteText } from "../text";

const NAMES = { "notes:read": "read", "notes:write": "write", "notes:delete": "delete", "notes:manage": "manage" } as const;
const STEPS = { steps: LADDER, wordsOf: (permission: SharePermission): string => t(`notes.may.${NAMES[permission]}`) };

interface Props {
  note: Note;
  now: Snapshot<NoteText>;
  writing: Writing<NoteText>;
  onClose: () => void;
}

export function ShareDialog({ note, now, writing, onClose }: Props) {
  const share = useShareNote(note.id);
  const { visibility } = now.text;
  const change = (wanted: Visibility): void => writing.write({ visibility: wanted }, 0);
  return (
    <Dialog title={t("sharing.title", { title: note.title })} wide onClose={onClose}>
      <WhoSees visibility={visibility} onChange={change} />
      <AddPerson thing={note} share={share} {...STEPS} />
      <Fault fault={share.error} />
      <People thing={note} share={share} {...STEPS} />
      {visibility === "private" && note.shared_with.length > 0 && <PrivateButShared onChange={change} />}
    </Dialog>
  );
}
