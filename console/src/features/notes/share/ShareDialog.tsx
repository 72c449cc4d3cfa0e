/** Share dialog of a note: access level, people, and a form to add one. */

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import { Fault } from "@/ui/forms";
import { PrivateButShared, WhoSees } from "@/ui/sharing/WhoSees";
import type { Visibility } from "@/ui/writing/text";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useShareNote } from "../queries";
import type { Note, NoteText } from "../text";
import { AddPerson } from "./AddPerson";
import { Grants } from "./Grants";

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
      <AddPerson note={note} share={share} />
      <Fault fault={share.error} />
      <Grants note={note} share={share} />
      {visibility === "private" && note.shared_with.length > 0 && <PrivateButShared onChange={change} />}
    </Dialog>
  );
}
