/** Sends a prompt and shows its answer in the conversation. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";

import { ask, dismiss, NEW, settle } from "./answers";
import type { Conversation } from "./api";
import { useAddress, useRefine } from "./address";
import { useSent } from "./drafts";
import { LISTS, one } from "./keys";
import { refetchAnswered } from "./queries";
import type { Question } from "./question";

const BEFORE_IT_EXISTS = /\/chat(\/new)?$/;

/** Without a conversation, the first prompt begins one. */
export function useAsk(conversation: Conversation | undefined): (question: Question, onStarted?: () => void) => void {
  const client = useQueryClient();
  const go = useNavigate();
  const router = useRouter();
  const refine = useRefine();
  const { at } = useAddress();
  const sent = useSent();
  const place = conversation?.id ?? NEW;
  return (question, onStarted) => {
    if (at !== undefined) refine({ at: undefined });
    if (question.draft) sent.keep(place, { ...question.draft, at: new Date().toISOString() });
    const answered = ask(conversation, question, {
      onStarted: (id) => {
        onStarted?.();
        sent.drop(place);
        if (!conversation) settle(id);
        void client.invalidateQueries({ queryKey: one(id) });
        void client.invalidateQueries({ queryKey: LISTS });
        if (conversation || !BEFORE_IT_EXISTS.test(router.state.location.pathname)) return;
        void go({ to: "/chat/$id", params: { id }, search: (now: object) => now, replace: true });
      },
      onOver: (end, id) => {
        sent.drop(place);
        if (end.refusal) return void client.invalidateQueries({ queryKey: ["usage"] });
        void refetchAnswered(client, id ?? NEW).then(() => dismiss(id ?? NEW));
      },
    });
    sent.hold(place, answered);
  };
}
