/** Note list: filter, keyboard navigation and infinite scroll. */

import { Skeleton } from "@mantine/core";
import { useRef } from "react";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { useNames } from "@/ui/names";
import { useListKeys } from "@/ui/panes/useListKeys";
import { useSamePlace } from "@/ui/panes/useSamePlace";
import { Failed } from "@/ui/states";
import { fits } from "@/ui/TextFilter";

import { useAddress, useFilters } from "../filters";
import { useNotes } from "../queries";
import { ListHead } from "./ListHead";
import { NoNotes } from "./NoNotes";
import styles from "./NoteList.module.css";
import { NoteRow } from "./NoteRow";

export function NoteList({ openId }: { openId?: string }) {
  const pane = useRef<HTMLElement>(null);
  const notes = useNotes(useFilters());
  const { q = "" } = useAddress();
  const found = notes.data?.filter((note) => fits(q, note.title, note.excerpt, ...note.tags)) ?? [];
  const names = useNames();
  const walk = useListKeys(pane);
  useSamePlace("notes", pane, notes.isSuccess);
  const entry = found.some((note) => note.id === openId) ? openId : found[0]?.id;
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={pane} className={styles.pane} aria-label={t("notes.list")} onKeyDown={walk}>
      <ListHead level={openId === undefined ? 1 : 2} />
      {notes.isPending && <Waiting />}
      {notes.isError && !notes.data && <Failed error={notes.error} again={() => void notes.refetch()} />}
      {notes.isSuccess && found.length === 0 && !notes.hasNextPage && <NoNotes />}
      <ul className={styles.list} aria-busy={notes.isPending}>
        {found.map((note) => (
          <NoteRow key={note.id} note={note} owner={names.ofOrYou(note.owner)} open={note.id === openId} entry={note.id === entry} />
        ))}
      </ul>
      <Endless query={notes} eager={q !== ""} />
      <p className="sr-only" role="status">
        {q !== "" && notes.isSuccess && t("notes.filter.found", { count: found.length })}
      </p>
    </section>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label={t("state.loading")}>
      {[62, 48, 70, 55, 40, 66].map((width) => (
        <div key={width} className={styles.waiting} aria-hidden>
          <Skeleton height={14} width={`${width}%`} />
          <Skeleton height={12} width="94%" />
          <Skeleton height={12} width="40%" />
        </div>
      ))}
    </div>
  );
}
