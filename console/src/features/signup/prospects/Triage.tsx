/** List and detail: one prospect is current and has the keys; who is decided on leaves a list of those who wait. */

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChecks, IconUserSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Endless } from "@/ui/endless";
import { notice, noticeFault } from "@/ui/notice";
import { SecretOnce } from "@/ui/SecretOnce";
import { Empty, Failed, Loading } from "@/ui/states";

import { decide, deleteProspect, type Decided, type Decision, type Prospect } from "../api";
import { useKnown, useProspects } from "../queries";
import { isFiltered, queryOf, type Place } from "./address";
import { Detail } from "./Detail";
import { ProspectList } from "./ProspectList";
import styles from "./Prospects.module.css";
import { useTriageKeys } from "./useTriageKeys";
import { nameOf } from "./words";

interface Props {
  place: Place;
  onPlace: (change: Place) => void;
}

export function Triage({ place, onPlace }: Props) {
  const found = useProspects(queryOf(place));
  const { replace, remove, refetch } = useKnown();
  const [declining, setDeclining] = useState(false);
  const [sending, setSending] = useState(false);
  const [deleting, setDeleting] = useState<Prospect | null>(null);
  const [accepted, setAccepted] = useState<Decided | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [told, setTold] = useState("");
  const box = useRef<HTMLDivElement>(null);
  // Who has been decided on is still in the answer that was fetched before.
  const shown = (found.data ?? []).filter(({ state }) => place.state !== undefined || state === "captured");
  const at = place.id === undefined ? 0 : shown.findIndex(({ id }) => id === place.id);
  const current = shown[at];

  useEffect(() => {
    setDeclining(false);
    setFault(null);
  }, [current?.id]);

  function choose(prospect: Prospect | undefined): void {
    onPlace({ id: prospect?.id });
    setTold(prospect ? nameOf(prospect) : "");
  }

  function step(by: number): void {
    const next = shown[at + by];
    if (next) choose(next);
    else setTold(t(by > 0 ? "prospects.last" : "prospects.first"));
  }

  /** The next one, unless the list shows decided ones too. */
  function leave(): void {
    if (place.state === undefined) onPlace({ id: place.id && (shown[at + 1] ?? shown[at - 1])?.id });
  }

  async function send(prospect: Prospect, decision: Decision): Promise<void> {
    if (sending) return;
    setSending(true);
    setFault(null);
    try {
      const decided = await decide(prospect.id, decision);
      const { activation_url: link } = decided;
      const words = t(decision.decision === "accept" ? "prospects.accepted" : "prospects.declined", { name: nameOf(prospect) });
      leave();
      replace(decided);
      setDeclining(false);
      setTold(words);
      if (link) setAccepted(decided);
      else notice(decision.decision === "accept" ? t("prospects.joined", { name: nameOf(prospect) }) : words);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.code === "already_decided") {
        noticeFault(refusal);
        await refetch();
      } else setFault(refusal);
    } finally {
      setSending(false);
    }
  }

  useTriageKeys({
    accept: () => current?.state === "captured" && void send(current, { decision: "accept" }),
    decline: () => current?.state === "captured" && setDeclining(true),
    step,
  });
  useCurrentInView(box, current?.id);

  if (found.isPending) return <Loading />;
  if (found.isError && !found.data) return <Failed error={found.error} again={() => void found.refetch()} />;
  const isNothing = shown.length === 0 && !found.hasNextPage;
  return (
    <>
      {isNothing && <Nothing place={place} />}
      <div ref={box} className={styles.triage} hidden={isNothing}>
        <div className={styles.side}>
          <ProspectList prospects={shown} currentId={current?.id} place={place} />
          <Endless query={found} eager={shown.length === 0 || (place.id !== undefined && !current)} />
        </div>
        <div className={styles.work}>
          <Button className={styles.back} variant="subtle" size="compact-sm" leftSection={<IconChevronLeft aria-hidden size={16} />} onClick={() => onPlace({ id: undefined })}>
            {t("ui.back_to_list")}
          </Button>
          {current && (
            <Detail
              key={current.id}
              prospect={current}
              isDeclining={declining}
              isSending={sending}
              fault={fault}
              onAccept={() => void send(current, { decision: "accept" })}
              onDecline={setDeclining}
              onSendDecline={(note) => void send(current, { decision: "decline", note })}
              onDelete={() => setDeleting(current)}
            />
          )}
          {!current && !found.hasNextPage && (
            <Empty title={t("prospects.elsewhere")} icon={IconUserSearch}>
              {t("prospects.elsewhere.words")}
            </Empty>
          )}
        </div>
      </div>
      <p className="sr-only" role="status">
        {told}
      </p>
      {accepted && (
        <SecretOnce
          title={t("prospects.link", { name: nameOf(accepted) })}
          secrets={[accepted.activation_url ?? ""]}
          filename={`activation-${accepted.email}.txt`}
          heading={t("prospects.link.heading", { email: accepted.email })}
          onClose={() => setAccepted(null)}
        >
          {t("prospects.link.words", { email: accepted.email })}
        </SecretOnce>
      )}
      {deleting && (
        <ConfirmDialog
          title={t("prospects.delete.title", { name: nameOf(deleting) })}
          confirm={t("prospects.delete")}
          perform={async () => {
            await deleteProspect(deleting.id);
            onPlace({ id: place.id && (shown[at + 1] ?? shown[at - 1])?.id });
            remove(deleting.id);
            notice(t("prospects.deleted"));
          }}
          onClose={() => setDeleting(null)}
        >
          <p>{t("prospects.delete.words")}</p>
          {deleting.state === "accepted" && <p className="muted">{t("prospects.delete.account")}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

function Nothing({ place }: { place: Place }) {
  if (isFiltered(place)) {
    return (
      <Empty title={t("prospects.nobody.found")} icon={IconUserSearch}>
        {t("prospects.nobody.found.words")}
      </Empty>
    );
  }
  return (
    <Empty title={t(place.state === undefined ? "prospects.nobody.waits" : "prospects.nobody")} icon={IconChecks}>
      {t("prospects.nobody.words")}
    </Empty>
  );
}

function useCurrentInView(box: React.RefObject<HTMLDivElement | null>, id: string | undefined): void {
  const first = useRef(true);
  useEffect(() => {
    const row = id && box.current?.querySelector<HTMLElement>("[data-row][aria-current=true]");
    if (!row) return;
    // On arrival the page stays at its top.
    if (!first.current) {
      row.scrollIntoView({ block: "nearest" });
      if (document.activeElement?.matches("[data-row]")) row.focus({ preventScroll: true });
    }
    first.current = false;
  }, [id, box]);
}
