/** One event: a sentence and a time, expandable to all details. */

import { Collapse, UnstyledButton } from "@mantine/core";
import { IconChevronRight, IconRobot, IconServer, IconUserQuestion } from "@tabler/icons-react";
import { useId, useState } from "react";

import { dateFormat } from "@/i18n";

import { Face } from "../PersonLine";
import { Time } from "../Time";
import { EventDetail } from "./EventDetail";
import type { Filters } from "./filters";
import { actorName, pieces, sentenceOf } from "./sentences";
import type { TrailEvent, TrailSource } from "./source";
import styles from "./Trail.module.css";

interface Props {
  event: TrailEvent;
  source: TrailSource;
  onFilter: (change: Filters) => void;
}

export function EventLine({ event, source, onFilter }: Props) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  const team = source.teams?.find((known) => known.id === event.team_id)?.name;
  return (
    <li className={styles.event} data-opened={opened || undefined}>
      <UnstyledButton className={styles.line} aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
        <Who event={event} name={actorName(event, source.people)} />
        <span className={styles.words}>
          <Sentence text={sentenceOf(event, source.people)} />
          <span className={styles.raw}>
            {team && <span>{team}</span>}
            <code>{event.action}</code>
          </span>
        </span>
        <Time at={event.at}>{clockOf(event.at)}</Time>
        <IconChevronRight aria-hidden size={15} className={styles.chevron} />
      </UnstyledButton>
      <Collapse expanded={opened} transitionDuration={120} id={id}>
        {opened && <EventDetail event={event} source={source} team={team} onFilter={onFilter} />}
      </Collapse>
    </li>
  );
}

function Sentence({ text }: { text: string }) {
  return (
    <span>
      {pieces(text).map((piece, place) => (place % 2 === 1 ? <bdi key={place}>{piece}</bdi> : piece))}
    </span>
  );
}

function Who({ event, name }: { event: TrailEvent; name: string }) {
  const Picture = { system: IconServer, provision: IconServer, worker: IconRobot, anonymous: IconUserQuestion }[event.actor.kind];
  if (!Picture) return <Face name={name} />;
  return (
    <span className={styles.machine} aria-hidden>
      <Picture size={16} stroke={1.6} />
    </span>
  );
}

function clockOf(stamp: string): string {
  return dateFormat({ timeStyle: "short" }).format(new Date(stamp));
}

