/** The texts, with one of them open at a time: saving goes on to the next. */

import { IconFileSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { languageName, t } from "@/i18n";
import { Endless } from "@/ui/endless";
import { Empty, Failed, Loading } from "@/ui/states";

import { reviewMessage, submitText, type Message, type MessageQuery } from "../api";
import { useKnown, useTexts } from "../queries";
import { isConflict } from "../refusals";
import { useUnsent } from "../unsent";
import { OpenRow } from "./OpenRow";
import { currentText } from "./text";
import { Row } from "./Row";
import styles from "./Texts.module.css";

interface Props {
  query: MessageQuery;
  source: string;
  mayTranslate: boolean;
}

export function Rows({ query, source, mayTranslate }: Props) {
  const texts = useTexts(query);
  const { replace, refresh } = useKnown();
  const unsent = useUnsent(query.locale);
  const [open, setOpen] = useState<string | null>(query.id ?? null);
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<{ id: string; fault: unknown } | null>(null);
  const [told, setTold] = useState("");
  const list = useFocusBack(open);
  const items = texts.data ?? [];

  function show(id: string | null): void {
    setOpen(id);
    setFault(null);
  }

  async function step(from: string, by: number): Promise<void> {
    const at = items.findIndex(({ id }) => id === from) + by;
    if (at < 0) return;
    const beyond = items[at] ?? (texts.hasNextPage ? (await texts.fetchNextPage()).data?.[at] : undefined);
    if (!beyond) setTold(t("localization.last"));
    show(beyond?.id ?? (by > 0 ? null : from));
  }

  /** Sends something about a message; what is refused leaves the row open, with all that was typed. */
  async function send(message: Message, request: () => Promise<Message>): Promise<void> {
    if (sending) return;
    setSending(true);
    setFault(null);
    try {
      replace(await request());
      unsent.drop(message.id);
      setTold(t("localization.saved", { key: message.key }));
      await step(message.id, 1);
    } catch (refusal) {
      setFault({ id: message.id, fault: refusal });
      if (isConflict(refusal)) await refresh(message).catch(() => undefined);
    } finally {
      setSending(false);
    }
  }

  async function save(message: Message, text: string, force: boolean): Promise<void> {
    if (text.trim() === "" || (!force && text === currentText(message))) return step(message.id, 1);
    return send(message, () => submitText(message, text));
  }

  if (texts.isPending) return <Loading />;
  if (texts.isError && !texts.data) return <Failed error={texts.error} again={() => void texts.refetch()} />;
  if (items.length === 0 && !texts.hasNextPage) return <Empty title={t("localization.nothing")} icon={IconFileSearch} />;
  return (
    <>
      <div className={styles.head} aria-hidden>
        <span>{languageName(source)}</span>
        <span>{languageName(query.locale)}</span>
      </div>
      <ol ref={list} className={styles.rows} aria-label={t("localization.texts.of", { language: languageName(query.locale) })}>
        {items.map((message) =>
          message.id === open ? (
            <OpenRow
              key={message.id}
              message={message}
              source={source}
              unsent={unsent.of(message.id)}
              fault={fault?.id === message.id ? fault.fault : null}
              sending={sending}
              mayTranslate={mayTranslate}
              onType={(text) => unsent.type(message.id, text, currentText(message))}
              onRevert={() => unsent.drop(message.id)}
              onSave={(text, force) => void save(message, text, force)}
              onApprove={() => void send(message, () => reviewMessage(message, { decision: "approve" }))}
              onMove={(by) => void step(message.id, by)}
              onClose={() => show(null)}
            />
          ) : (
            <Row key={message.id} message={message} source={source} unsent={unsent.of(message.id)} onOpen={() => show(message.id)} />
          ),
        )}
      </ol>
      <Endless query={texts} />
      <p className="sr-only" role="status">
        {told || t("localization.shown", { count: items.length })}
      </p>
    </>
  );
}

/** The fields of a row are gone: back to the row. */
function useFocusBack(open: string | null) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef<string | null>(null);
  useEffect(() => {
    const inside = document.activeElement === document.body || list.current?.contains(document.activeElement);
    if (open === null && before.current && inside) list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(before.current)}"]`)?.focus();
    before.current = open;
  }, [open]);
  return list;
}
