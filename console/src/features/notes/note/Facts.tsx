/** Metadata below the title: access level, owner, time and tags. */

import { ago, t } from "@/i18n";
import { useNames } from "@/ui/names";
import type { Rights } from "@/ui/sharing/rights";
import { Tags } from "@/ui/tags/Tags";
import { Time } from "@/ui/Time";
import { VisibilityMenu } from "@/ui/visibility/VisibilityMenu";
import type { Snapshot, Writing } from "@/ui/writing/writing";

import { useKnownTags } from "../knownTags";
import type { Note, NoteText } from "../text";
import styles from "./Facts.module.css";

interface Props {
  now: Snapshot<NoteText>;
  writing: Writing<NoteText>;
  note: Note | null;
  rights: Rights;
}

export function Facts({ now, writing, note, rights }: Props) {
  const names = useNames();
  return (
    <div className={styles.facts}>
      <VisibilityMenu
        visibility={now.text.visibility}
        shares={note?.shared_with.length ?? 0}
        mayChange={rights.manage}
        onChange={(visibility) => writing.write({ visibility }, 0)}
      />
      {note && (
        <>
          <span>{names.ofOrYou(note.owner)}</span>
          <Time at={note.updated_at}>{t("notes.edited", { when: ago(note.updated_at) })}</Time>
        </>
      )}
      <Tags to="/notes" known={useKnownTags()} tags={now.text.tags} mayChange={rights.write} onChange={(tags) => writing.write({ tags }, 0)} />
    </div>
  );
}
