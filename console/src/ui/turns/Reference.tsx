/** A note or a file that goes with a prompt, as a link to it. */

import { IconFile, IconNotes } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { answer, api } from "@/api/client";
import { t } from "@/i18n";
import chips from "@/ui/Chip.module.css";

import type { NotePart, ObjectPart } from "./shapes";
import styles from "./Turns.module.css";

/** A name that can't be read, or isn't any more, is left out. */
function useTitle(part: ObjectPart | NotePart): string | undefined {
  const isNote = part.type === "note";
  const id = isNote ? part.note_id : part.object_id;
  const { data } = useQuery({
    queryKey: ["names", part.type, id],
    queryFn: async () => {
      const params = { path: { id } };
      return isNote ? (await answer(api.GET("/api/notes/{id}", { params }))).title : (await answer(api.GET("/api/repo-obj/{id}", { params }))).filename;
    },
    staleTime: 60_000,
  });
  return data;
}

export function ReferenceLink({ part }: { part: ObjectPart | NotePart }) {
  const title = useTitle(part);
  if (part.type === "note") {
    return (
      <Link to="/notes/$id" params={{ id: part.note_id }} className={`${chips.chip} ${styles.reference}`}>
        <IconNotes aria-hidden size={13} />
        <span>{title ?? t("turns.reference.note")}</span>
      </Link>
    );
  }
  return (
    <Link to="/files/$id" params={{ id: part.object_id }} search={part.version ? { version: part.version } : {}} className={`${chips.chip} ${styles.reference}`}>
      <IconFile aria-hidden size={13} />
      <span>{title ?? t("turns.reference.object")}</span>
    </Link>
  );
}
