/** One conversation, or the place where one begins. */

import { Skeleton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { BackToList } from "@/ui/panes/BackToList";
import { Failed, Refused } from "@/ui/states";

import { dismiss, isUnheard, NEW, resume, useEntry, useSnapshot } from "../answers";
import type { Conversation } from "../api";
import { refetchAnswered, useConversation } from "../queries";
import { Thread } from "./Thread";
import styles from "./Thread.module.css";

export function ConversationPane({ place }: { place: string }) {
  const { can } = useSession();
  const isNew = place === NEW;
  const entry = useEntry(place);
  const now = useSnapshot(entry);
  const conversation = useConversation(isNew ? undefined : place, !now || now.connection === "over");
  useResume(conversation.data, entry !== undefined);
  if (isNew && !can("chat:use")) return <Refused permission="chat:use" screen={t("chat.title")} />;
  // A new conversation is shown before the server returns it.
  if (isNew || conversation.data || (conversation.isPending && entry)) {
    return <Thread place={place} conversation={conversation.data} entry={entry} now={now} lost={conversation.isError ? conversation.error : undefined} />;
  }
  if (conversation.isPending) return <Waiting />;
  return (
    <>
      <BackToList to="/chat" />
      <Failed error={conversation.error} again={() => void conversation.refetch()} />
    </>
  );
}

/** Follows a running answer after a reload, or if another tab asked for it. */
function useResume(conversation: Conversation | undefined, isHeard: boolean): void {
  const client = useQueryClient();
  const running = conversation?.turns.findLast((turn) => turn.role === "assistant" && turn.state === "running" && !isUnheard(turn.id));
  const [id, turnId] = [conversation?.id, running?.id];
  useEffect(() => {
    if (id && turnId && !isHeard) resume(id, turnId, () => void refetchAnswered(client, id).then(() => dismiss(id)));
  }, [client, id, turnId, isHeard]);
}

function Waiting() {
  return (
    <div className={styles.thread}>
      <div className={styles.toolbar}>
        <BackToList to="/chat" />
        <Skeleton height={14} width={160} />
        <h1 className="sr-only" role="status">
          {t("state.loading")}
        </h1>
      </div>
      <div className={styles.column} aria-hidden>
        <Skeleton height={44} width="55%" ml="auto" mb={28} />
        {[96, 88, 92, 60].map((width) => (
          <Skeleton key={width} height={13} width={`${width}%`} mb={13} />
        ))}
      </div>
    </div>
  );
}
