/** A note, read or edited, in its frame. */

import { useDocumentTitle } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";
import type { InspectorTab } from "@/ui/inspector/tabs";
import { useNames } from "@/ui/names";
import { Presence } from "@/ui/presence/Presence";
import { Backlinks, LinkedFrom } from "@/ui/references/Backlinks";
import { ALL_RIGHTS } from "@/ui/sharing/rights";
import { ShareDialog, sharingTab } from "@/ui/sharing/ShareDialog";
import type { Shared } from "@/ui/sharing/Sharing";
import { useCommand } from "@/ui/commands";
import { toList } from "@/ui/topbar/crumbs";
import { ConflictDialog } from "@/ui/writing/conflict/ConflictDialog";
import { Editing } from "@/ui/writing/Editing";
import { Notices } from "@/ui/writing/Notices";
import { useWriting } from "@/ui/writing/open";
import { Reading } from "@/ui/writing/Reading";
import { TextFrame, type DialogName } from "@/ui/writing/TextFrame";
import { useTurning } from "@/ui/writing/turning";
import { useFollowing } from "@/ui/writing/useFollowing";
import type { Writing } from "@/ui/writing/writing";

import { useAddress } from "../filters";
import { useRefetchNote } from "../queries";
import { rightsOn } from "../rights";
import type { Note, NoteText } from "../text";
import { DeleteDialog } from "./DeleteDialog";
import { Details } from "./Details";
import { Facts } from "./Facts";

interface Props {
  writing: Writing<NoteText>;
  /** As stored on the server; null for a new note. */
  note: Note | null;
  /** Error of the last refetch. */
  lost?: unknown;
}

export function OpenNote({ writing, note, lost }: Props) {
  const session = useSession();
  const now = useWriting(writing);
  const { edit } = useAddress();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const rights = note ? rightsOn(note, session) : ALL_RIGHTS;
  const edits = (edit === true || note === null) && rights.write && !now.offer;
  useDocumentTitle(`${now.text.title || t("writing.untitled")} · ${useBrand().title}`);
  const turn = useTurning(writing, note?.id, "/notes");
  useFollowing(rights.manage && note ? note : undefined);
  useEffect(() => {
    if (now.conflict) setDialog("conflict");
  }, [now.conflict]);

  const refuse = useRefusal(note);
  useCommand("edit", () => (rights.write ? void turn(!edits) : refuse("edit")));
  useCommand("share", () => (rights.manage ? setDialog("share") : refuse("share")));
  useCommand("delete", () => (rights.delete ? setDialog("delete") : refuse("delete")));

  const close = (): void => setDialog(null);
  const onShared = useRefetchNote(note?.id);
  const sharing: Shared | undefined = note && rights.manage
    ? { kind: "note", id: note.id, visibility: now.text.visibility, onVisibility: (visibility) => writing.write({ visibility }, 0), onShared }
    : undefined;
  return (
    <>
      <TextFrame
        name="note"
        now={now}
        crumbs={[toList(t("notes.title"), "/notes")]}
        label={t("notes.toolbar")}
        words={{ more: t("notes.more"), delete: t("notes.delete") }}
        address={note ? `/app/notes/${note.id}` : undefined}
        rights={rights}
        edits={edits}
        tabs={note ? tabsOf(note, sharing) : []}
        who={<Presence kind="note" id={note?.id} editing={edits} />}
        onSave={() => void writing.flush()}
        onTurn={(toEdit) => void turn(toEdit)}
        onDialog={setDialog}
      >
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
          <Reading
            now={now}
            writing={rights.write ? writing : undefined}
            facts={<Facts now={now} writing={writing} note={note} rights={rights} />}
            empty={t("notes.empty_body")}
          />
        )}
        {note && !edits && <LinkedFrom kind="note" id={note.id} />}
      </TextFrame>
      {dialog === "share" && note && sharing && <ShareDialog {...sharing} title={note.title} onClose={close} />}
      {dialog === "delete" && note && <DeleteDialog note={note} writing={writing} onClose={close} />}
      {dialog === "conflict" && now.conflict && (
        <ConflictDialog conflict={now.conflict} mine={now.text} writing={writing} onClose={close} />
      )}
    </>
  );
}

const tabsOf = (note: Note, sharing?: Shared): InspectorTab[] => [
  { name: "details", title: t("inspector.title"), content: () => <Details note={note} /> },
  ...(sharing ? [sharingTab(sharing)] : []),
  { name: "links", title: t("references.tab"), content: () => <Backlinks kind="note" id={note.id} /> },
];

/** For a keyboard shortcut the caller has no permission for: says who owns the item. */
function useRefusal(note: Note | null): (action: "edit" | "share" | "delete") => void {
  const names = useNames();
  return (action) => {
    const message = t("notes.refused.right", { action, owner: note ? names.of(note.owner) : "" });
    notifications.show({ color: "warning", message });
  };
}
