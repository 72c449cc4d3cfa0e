/** The queue: one text is current and has the keys; what is decided leaves. */

import { IconChecks } from "@tabler/icons-react";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Empty, Failed, Loading } from "@/ui/states";

import { reviewMessage, type Decision, type Message, type MessageQuery } from "../api";
import { useKnown, useTexts } from "../queries";
import { isConflict } from "../refusals";
import { Candidate } from "./Candidate";
import styles from "./Review.module.css";
import { useReviewKeys } from "./useReviewKeys";

interface Props {
  query: MessageQuery;
  source: string;
  nothing: ReactNode;
}

export function ReviewQueue({ query, source, nothing }: Props) {
  const texts = useTexts(query);
  const { replace, refresh } = useKnown();
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const [writing, setWriting] = useState(false);
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const [told, setTold] = useState("");
  const list = useRef<HTMLOListElement>(null);
  // What has been decided is still in the answer that was fetched before.
  const waiting = (texts.data ?? []).filter(({ id }) => !decided.has(id));
  const at = Math.max(0, waiting.findIndex(({ id }) => id === chosen));
  const current = waiting[at];

  function choose(message: Message | undefined): void {
    setChosen(message?.id ?? null);
    setWriting(false);
    setFault(null);
  }

  function step(by: number): void {
    const next = waiting[at + by];
    if (next) choose(next);
    else setTold(t(by > 0 ? "localization.last" : "localization.first"));
  }

  async function decide(message: Message, decision: Decision): Promise<void> {
    if (sending) return;
    setSending(true);
    setFault(null);
    try {
      replace(await reviewMessage(message, decision));
      setDecided((before) => new Set(before).add(message.id));
      setTold(t(decision.decision === "approve" ? "localization.approved" : "localization.sent_back", { key: message.key }));
      choose(waiting[at + 1] ?? waiting[at - 1]);
    } catch (refusal) {
      setFault(refusal);
      // What the reviewer read is no longer what is there.
      if (isConflict(refusal)) await refresh(message).catch(() => undefined);
    } finally {
      setSending(false);
    }
  }

  useReviewKeys({
    approve: () => current && void decide(current, { decision: "approve" }),
    sendBack: () => current?.proposal && setWriting(true),
    step,
  });
  useCurrentInView(list, current?.id);

  if (texts.isPending) return <Loading />;
  if (texts.isError && !texts.data) return <Failed error={texts.error} again={() => void texts.refetch()} />;
  return (
    <>
      {waiting.length === 0 && !texts.hasNextPage && (
        <Empty title={t("localization.queue.none")} icon={IconChecks}>
          {nothing}
        </Empty>
      )}
      <ol ref={list} className={styles.queue} aria-label={t("localization.queue")}>
        {waiting.map((message) => (
          <Candidate
            key={message.id}
            message={message}
            source={source}
            isCurrent={message === current}
            isWriting={writing && message === current}
            isSending={sending && message === current}
            fault={message === current ? fault : null}
            onChoose={() => choose(message)}
            onApprove={() => void decide(message, { decision: "approve" })}
            onWrite={setWriting}
            onSendBack={(note) => void decide(message, { decision: "return", note: note.trim() || undefined })}
            onSkip={() => step(1)}
          />
        ))}
      </ol>
      <Endless query={texts} eager={waiting.length === 0} />
      <p className="sr-only" role="status">
        {told}
      </p>
    </>
  );
}

function useCurrentInView(list: React.RefObject<HTMLOListElement | null>, id: string | undefined): void {
  const first = useRef(true);
  useEffect(() => {
    const card = id && list.current?.querySelector<HTMLElement>("[aria-current=true]");
    if (!card) return;
    // On arrival the page stays at its top.
    if (!first.current) {
      card.scrollIntoView({ block: "nearest" });
      if (document.activeElement === document.body || list.current?.contains(document.activeElement)) card.focus({ preventScroll: true });
    }
    first.current = false;
  }, [id, list]);
}
