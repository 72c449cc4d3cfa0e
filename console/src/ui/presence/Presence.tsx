/** Who else has the open item open now: initials in the top bar, those who edit first. */

import { Tooltip } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";

import { t } from "@/i18n";
import { initials } from "@/ui/initials";

import styles from "./Presence.module.css";
import { usePresence, type Person, type PresenceKind } from "./usePresence";

interface Props {
  kind: PresenceKind;
  /** Undefined for an item that isn't saved yet. */
  id: string | undefined;
  editing: boolean;
}

const MOST = 3;

export function Presence({ kind, id, editing }: Props) {
  const people = usePresence(kind, id, editing);
  if (people.length === 0) return null;
  const more = people.slice(MOST);
  return (
    <ul className={styles.people} aria-label={t("presence.also")}>
      {people.slice(0, MOST).map((person) => (
        <li key={person.id}>
          <Avatar person={person} />
        </li>
      ))}
      {more.length > 0 && (
        <li>
          <Tooltip label={more.map(wordsOf).join(", ")} openDelay={200}>
            <span className={styles.person} role="img" aria-label={t("presence.more", { count: more.length })}>
              +{more.length}
            </span>
          </Tooltip>
        </li>
      )}
    </ul>
  );
}

const wordsOf = ({ name, editing }: Person): string => t(editing ? "presence.editing" : "presence.here", { name });

function Avatar({ person }: { person: Person }) {
  return (
    <Tooltip label={wordsOf(person)} openDelay={200}>
      <span className={styles.person} role="img" aria-label={wordsOf(person)} data-editing={person.editing || undefined}>
        {initials(person.name)}
        {person.editing && (
          <span className={styles.pen}>
            <IconPencil aria-hidden size={9} stroke={2.5} />
          </span>
        )}
      </span>
    </Tooltip>
  );
}
