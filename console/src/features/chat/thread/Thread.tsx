/** A conversation: the turns of the shown branch, and the composer, in the frame. */

import { Button } from "@mantine/core";
import { useDocumentTitle, useWindowEvent } from "@mantine/hooks";
import { IconArrowDown, IconEye } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useBrand } from "@/theme/brand";

import { useAddress, useRefine } from "../address";
import type { Entry } from "../answers";
import type { Citation, Conversation, Turn } from "../api";
import { useAsk } from "../asking";
import { pathThrough, siblingsOf } from "../branches";
import { Composer } from "../composer/Composer";
import type { Answerer, Question } from "../question";
import { rightsOn } from "../rights";
import { SourcePanel } from "../sources/SourcePanel";
import type { Snapshot } from "../stream/answering";
import { titleOf } from "../titles";
import { Announcer } from "./Announcer";
import { AnswerTurn } from "./AnswerTurn";
import { ChatFrame } from "./ChatFrame";
import { PromptTurn } from "./PromptTurn";
import { againOf, ASKED, shownTurns } from "./shown";
import styles from "./Thread.module.css";
import { useStick } from "./useStick";
import { Welcome } from "./Welcome";

interface Props {
  place: string;
  /** Absent before it exists, or is loaded. */
  conversation?: Conversation;
  entry?: Entry;
  now?: Snapshot;
  /** Error of the last refetch. */
  lost?: unknown;
}

export function Thread({ place, conversation, entry, now, lost }: Props) {
  const session = useSession();
  const { at } = useAddress();
  const send = useAsk(conversation);
  const [citation, setCitation] = useState<Citation | null>(null);
  const [answerer, setAnswerer] = useState<Answerer>({});
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { isAway, toEnd } = useStick(scroller, content, place);
  useDocumentTitle(`${conversation ? titleOf(conversation) : t("chat.new")} · ${useBrand().title}`);

  const stored = conversation?.turns;
  const turns = useMemo(() => shownTurns(stored ?? [], entry?.asked, now), [stored, entry, now]);
  const path = useMemo(() => pathThrough(turns, at), [turns, at]);
  const isBusy = (now !== undefined && now.connection !== "over") || path.at(-1)?.state === "running";
  const mayAsk = session.has("chat") && (conversation ? rightsOn(conversation, session).continue : session.can("chat:use"));

  const ask: Ask = (question, onStarted) => send({ ...question, ...answerer }, onStarted);
  const stop = (): void => void entry?.answering.stop();
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !now || now.connection === "over") return;
    if (document.querySelector("[role=dialog], [role=menu], [data-picker]")) return;
    event.preventDefault();
    stop();
  });

  return (
    <ChatFrame conversation={conversation} lost={lost}>
      <div className={styles.thread} data-panel={citation !== null}>
        <section ref={scroller} className={styles.scroller} aria-label={t("chat.thread")}>
          <div ref={content} className={styles.column}>
            {path.length === 0 ? (
              <Welcome mayAsk={mayAsk} />
            ) : (
              <ol className={styles.turns}>
                {path.map((turn, place) => (
                  <Shown
                    key={turn.role === "user" ? turn.id : place}
                    turn={turn}
                    asker={path[place - 1]?.author}
                    siblings={siblingsOf(turns, turn)}
                    answers={turns.filter((other) => other.parent_id === turn.id)}
                    now={turn.id === now?.answer.id || turn.state === "running" ? now : undefined}
                    mayAsk={mayAsk && !isBusy}
                    ask={ask}
                    onCitation={setCitation}
                  />
                ))}
              </ol>
            )}
          </div>
        </section>
        <div className={styles.foot}>
          {isAway && (
            <Button className={styles.jump} variant="default" size="compact-sm" leftSection={<IconArrowDown aria-hidden size={14} />} onClick={toEnd}>
              {t("chat.jump")}
            </Button>
          )}
          <div>
            {mayAsk ? (
              <Composer
                place={place}
                entry={entry}
                now={now}
                isBusy={isBusy}
                answerer={answerer}
                onAnswerer={setAnswerer}
                onAsk={(question) => {
                  ask({ ...question, parentId: path.at(-1)?.id ?? null });
                  toEnd();
                }}
                onStop={stop}
              />
            ) : (
              <p className={styles.reading}>
                <IconEye aria-hidden size={16} />
                {session.has("chat") ? t("chat.read_only") : t("chat.off")}
              </p>
            )}
          </div>
        </div>
        <Announcer now={now} />
        {citation && <SourcePanel key={`${citation.number} ${citation.quote}`} citation={citation} onClose={() => setCitation(null)} />}
      </div>
    </ChatFrame>
  );
}

type Ask = (question: Omit<Question, keyof Answerer>, onStarted?: () => void) => void;

interface ShownProps {
  turn: Turn;
  /** Of the prompt that it answers. */
  asker?: string | null;
  siblings: Turn[];
  /** To this prompt. */
  answers: Turn[];
  now?: Snapshot;
  mayAsk: boolean;
  ask: Ask;
  onCitation: (citation: Citation) => void;
}

/** What an agent answered is answered by an agent again. */
const usedTools = ({ steps }: Turn): boolean => Boolean(steps);

function Shown({ turn, asker, siblings, answers, now, mayAsk, ask, onCitation }: ShownProps) {
  const refine = useRefine();
  const { me } = useSession();
  const onSwitch = (id: string): void => refine({ at: id });
  const shared = { turn, siblings, mayAsk, onSwitch };
  if (turn.role === "user") {
    // A form that is opened before the server's id replaces this one would be closed by that.
    const mayEdit = mayAsk && turn.id !== ASKED;
    return <PromptTurn {...shared} mayAsk={mayEdit} onEdit={(content, done) => ask({ content, parentId: turn.parent_id, tools: answers.some(usedTools) }, done)} />;
  }
  return (
    <AnswerTurn
      {...shared}
      now={now}
      onCitation={onCitation}
      onRegenerate={() => ask({ parentId: turn.parent_id, ...againOf(turn, asker === me.user.id), tools: usedTools(turn) })}
    />
  );
}
