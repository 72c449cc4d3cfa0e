/** One text that waits: closed a line, open with the source, what is live, what is proposed, and the decision. */

import { Alert, Button, UnstyledButton } from "@mantine/core";
import { IconArrowBackUp, IconCheck, IconPencil, IconPlayerSkipForward } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { languageName, t } from "@/i18n";
import { useSession } from "@/session";
import { Time } from "@/ui/Time";

import type { Message } from "../api";
import { faultLines } from "../refusals";
import { StatusTag } from "../StatusTag";
import { WordDiff, Words } from "../Words";
import { NoteField } from "./NoteField";
import styles from "./Review.module.css";

interface Props {
  message: Message;
  source: string;
  isCurrent: boolean;
  isWriting: boolean;
  isSending: boolean;
  fault: unknown;
  onChoose: () => void;
  onApprove: () => void;
  onWrite: (writing: boolean) => void;
  onSendBack: (note: string) => void;
  onSkip: () => void;
}

export function Candidate(props: Props) {
  const { message, source, isCurrent, onChoose } = props;
  if (isCurrent) return <Current {...props} />;
  const proposed = message.proposal?.text ?? message.text ?? "";
  return (
    <li>
      <UnstyledButton className={styles.closed} onClick={onChoose}>
        <Words text={message.source} lang={source} />
        <Words text={proposed} lang={message.locale} />
      </UnstyledButton>
    </li>
  );
}

function Current({ message, source, isWriting, isSending, fault, onApprove, onWrite, onSendBack, onSkip }: Props) {
  const { proposal } = message;
  const isStale = message.status === "stale" && !proposal;
  return (
    // Takes the focus, so that keys and readers go on from here.
    <li className={styles.current} aria-current="true" aria-label={`${message.namespace}.${message.key}`} tabIndex={-1}>
      <div className={styles.above}>
        <code>{`${message.namespace}.${message.key}`}</code>
        <span className={styles.from}>
          {proposal ? (
            <>
              {t("localization.proposal", { name: proposal.author_name })} <Time at={proposal.submitted_at} />
            </>
          ) : (
            <StatusTag status={message.status} />
          )}
        </span>
      </div>
      <dl className={styles.texts}>
        <div>
          <dt>{languageName(source)}</dt>
          <dd>
            {message.written_source !== null && message.written_source !== message.source ? (
              <WordDiff older={message.written_source} newer={message.source} lang={source} />
            ) : (
              <Words text={message.source} lang={source} />
            )}
          </dd>
        </div>
        {proposal && (
          <div>
            <dt>{t("localization.live")}</dt>
            <dd>{message.text ? <Words text={message.text} lang={message.locale} /> : <span className="muted">{t("localization.untranslated")}</span>}</dd>
          </div>
        )}
        <div>
          <dt>{t(isStale ? "localization.live" : proposal ? "localization.proposed" : "localization.status.machine")}</dt>
          <dd className={styles.proposed}>
            {proposal && message.text ? (
              <WordDiff older={message.text} newer={proposal.text} lang={message.locale} />
            ) : (
              <Words text={proposal?.text ?? message.text ?? ""} lang={message.locale} />
            )}
          </dd>
        </div>
      </dl>
      {fault !== null && (
        <Alert color="danger" role="alert" title={t("localization.refused")}>
          {faultLines(fault).map((line) => (
            <span key={line} className={styles.line}>
              {line}
            </span>
          ))}
        </Alert>
      )}
      {isWriting ? (
        <NoteField name={proposal?.author_name ?? ""} sending={isSending} onSend={onSendBack} onCancel={() => onWrite(false)} />
      ) : (
        <Buttons message={message} isStale={isStale} isSending={isSending} onApprove={onApprove} onWrite={() => onWrite(true)} onSkip={onSkip} />
      )}
    </li>
  );
}

interface ButtonsProps {
  message: Message;
  isStale: boolean;
  isSending: boolean;
  onApprove: () => void;
  onWrite: () => void;
  onSkip: () => void;
}

function Buttons({ message, isStale, isSending, onApprove, onWrite, onSkip }: ButtonsProps) {
  const { can } = useSession();
  return (
    <div className={styles.buttons}>
      <Button size="xs" leftSection={<IconCheck aria-hidden size={15} />} rightSection={<kbd aria-hidden>A</kbd>} loading={isSending} onClick={onApprove}>
        {t(isStale ? "localization.keep" : "localization.approve")}
      </Button>
      {message.proposal && (
        <Button size="xs" variant="default" leftSection={<IconArrowBackUp aria-hidden size={15} />} rightSection={<kbd aria-hidden>R</kbd>} onClick={onWrite}>
          {t("localization.send_back")}
        </Button>
      )}
      <Button size="xs" variant="default" leftSection={<IconPlayerSkipForward aria-hidden size={15} />} rightSection={<kbd aria-hidden>J</kbd>} onClick={onSkip}>
        {t("localization.skip")}
      </Button>
      {can("localization:translate") && (
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconPencil aria-hidden size={15} />}
          renderRoot={(rest) => <Link to="/settings/instance/languages/$locale" params={{ locale: message.locale }} search={{ id: message.id } as never} {...rest} />}
        >
          {t("action.edit")}
        </Button>
      )}
    </div>
  );
}
