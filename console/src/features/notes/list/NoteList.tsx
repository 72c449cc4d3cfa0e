/** Notes, filtered by text, owner, access level and tag. */

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useNames } from "@/ui/names";
import { PaneList } from "@/ui/panes/PaneList";
import { fits } from "@/ui/TextFilter";

import { useAddress, useFilters } from "../filters";
import { useNotes } from "../queries";
import { Filters, NewNote } from "./ListHead";
import { NoNotes } from "./NoNotes";
import { NoteRow } from "./NoteRow";

export function NoteList({ openId }: { openId?: string }) {
  const { can } = useSession();
  const names = useNames();
  const notes = useNotes(useFilters());
  const { q } = useAddress();
  const items = notes.data?.filter((note) => fits(q ?? "", note.title, note.excerpt, ...note.tags)) ?? [];
  return (
    <PaneList
      name="notes"
      label={t("notes.list")}
      title={t("notes.title")}
      action={can("notes:write") && <NewNote />}
      filters={<Filters />}
      query={notes}
      items={items}
      openId={openId}
      row={(note, place) => <NoteRow key={note.id} note={note} owner={names.ofOrYou(note.owner)} {...place} />}
      rowHeight={110}
      none={<NoNotes />}
      found={q && t("notes.filter.found", { count: items.length })}
    />
  );
}
