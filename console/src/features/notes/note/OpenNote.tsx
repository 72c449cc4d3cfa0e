/** One note: read or written, with what can be done to it in the bar above. */

import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type RefObject } from "react";

import { useSession } from "@/app/session";
import { t } from "@/i18n";
import { useBrand } from "@/theme/brand";
import { useNames } from "@/ui/names";
import { useWish } from "@/ui/wishes";
import { ConflictDialog } from "@/ui/writing/conflict/ConflictDialog";
import { Editing } from "@/ui/writing/Editing";
import { Notices } from "@/ui/writing/Notices";
import { useWriting } from "@/ui/writing/open";
import type { Writing } from "@/ui/writing/writing";

import { useAddress, type Address } from "../filters";
import { ALL_RIGHTS, rightsOn, type NotePermission } from "../rights";
import { ShareDialog } from "../share/ShareDialog";
import type { Note, NoteText } from "../text";
import { DeleteDialog } from "./DeleteDialog";
import { Facts } from "./Facts";
import { Reading } from "./Reading";
import { Toolbar } from "./Toolbar";

interface Props {
  writing: Writing<NoteText>;
  /** As the server has it; null while it is not there yet. */
  note: Note | null;
  /** Why the note could not be looked at again. */
  lost?: unknown;
}

type Dialog = "share" | "delete" | "conflict" | null;

export function OpenNote({ writing, note, lost }: Props) {
  const session = useSession();
  const now = useWriting(writing);
  const { edit } = useAddress();
  const go = useNavigate();
  const [dialog, setDialog] = useState<Dialog>(null);
  const rights = note ? rightsOn(note, session) : ALL_RIGHTS;
  const edits = (edit === true || note === null) && rights.write && !now.offer;
  useDocumentTitle(`${now.text.title || t("writing.untitled")} · ${useBrand().title}`);
  const staysInEdit = useNameOfItsOwn(note, now.id);
  useEffect(() => {
    if (now.conflict) setDialog("conflict");
  }, [now.conflict]);

  async function turn(toEdit: boolean): Promise<void> {
    staysInEdit.current = toEdit;
    const saving = toEdit ? undefined : writing.flush();
    if (now.id === null) await saving;
    const { id } = writing.snapshot;
    const search = (at: Address): Address => ({ ...at, edit: (id !== null && toEdit) || undefined });
    await (id === null ? go({ to: "/notes", search }) : go({ to: "/notes/$id", params: { id }, search, replace: true }));
  }

  const refuse = useRefusal(note);
  useWish("edit", () => (rights.write ? void turn(!edits) : refuse("notes:write")));
  useWish("share", () => (rights.manage ? setDialog("share") : refuse("notes:manage")));
  useWish("delete", () => (rights.delete ? setDialog("delete") : refuse("notes:delete")));

  const close = (): void => setDialog(null);
  return (
    <>
      <Toolbar now={now} note={note} rights={rights} edits={edits} onTurn={(toEdit) => void turn(toEdit)} onDialog={setDialog} />
      <Notices now={now} writing={writing} lost={lost} mayStartOver={session.can("notes:write")} onResolve={() => setDialog("conflict")} />
      {edits ? (
        <Editing
          now={now}
          writing={writing}
          facts={<Facts now={now} writing={writing} note={null} rights={rights} />}
          label={t("notes.field.body")}
          placeholder={t("writing.field.body.hint")}
          onLeave={() => void turn(false)}
        />
      ) : (
        <Reading now={now} writing={writing} note={note} rights={rights} />
      )}
      {dialog === "share" && note && <ShareDialog note={note} now={now} writing={writing} onClose={close} />}
      {dialog === "delete" && note && <DeleteDialog note={note} writing={writing} onClose={close} />}
      {dialog === "conflict" && now.conflict && (
        <ConflictDialog conflict={now.conflict} mine={now.text} writing={writing} onClose={close} />
      )}
    </>
  );
}

/** A key was pressed for what the caller may not do: what is missing, and who can give it. */
function useRefusal(note: Note | null): (permission: NotePermission) => void {
  const names = useNames();
  return (permission) => {
    const message = t("notes.refused.right", { permission, owner: note ? names.of(note.owner) : "" });
    notifications.show({ color: "warning", message });
  };
}

/** A new note gets its own address once the server has it. */
function useNameOfItsOwn(note: Note | null, id: string | null): RefObject<boolean> {
  const go = useNavigate();
  const staysInEdit = useRef(true);
  useEffect(() => {
    if (id === null || id === note?.id) return;
    const search = (at: Address): Address => ({ ...at, edit: staysInEdit.current || undefined });
    void go({ to: "/notes/$id", params: { id }, search, replace: true });
  }, [go, note, id]);
  return staysInEdit;
}
