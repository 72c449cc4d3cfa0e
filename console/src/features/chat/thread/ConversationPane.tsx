/** One conversation, or the place where one begins. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { BackToList } from "@/ui/panes/BackToList";
import { MissingItem } from "@/ui/MissingItem";
import { ItemSkeleton } from "@/ui/skeleton/ScreenSkeleton";
import { Skeleton } from "@/ui/skeleton/Skeleton";
import { Refused } from "@/ui/states";

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
  return <MissingItem error={conversation.error} again={() => void conversation.refetch()} list="/chat" title={t("chat.title")} />;
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
    <ItemSkeleton back={<BackToList to="/chat" />}>
      <div className={styles.column}>
        <Skeleton shape="text" />
      </div>
    </ItemSkeleton>
  );
}
