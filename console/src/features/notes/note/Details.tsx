/** Details of a note, in the inspector. */

import { t } from "@/i18n";
import { Copyable } from "@/ui/Copyable";
import { Facts, type Fact } from "@/ui/Facts";
import { useNames } from "@/ui/names";
import { Time } from "@/ui/Time";
import { VisibilityWord } from "@/ui/visibility/VisibilityWord";

import type { Note } from "../text";

export function Details({ note }: { note: Note }) {
  const names = useNames();
  const facts: Fact[] = [
    [t("visibility.title"), <VisibilityWord key="access" visibility={note.visibility} />],
    [t("inspector.owner"), names.ofOrYou(note.owner)],
    [t("inspector.created"), <Time key="created" at={note.created_at} />],
    [t("inspector.changed"), <Time key="changed" at={note.updated_at} />],
    [t("inspector.version"), note.version],
    [t("inspector.id"), <Copyable key="id" value={note.id} label={t("inspector.id")} />],
  ];
  return <Facts facts={facts} />;
}
