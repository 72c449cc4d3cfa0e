/** Conversations by last activity: filter, keyboard navigation and infinite scroll. */

import { Button, Skeleton } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilterOff, IconMessageCircle, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { Endless } from "@/ui/endless";
import { useNames } from "@/ui/names";
import { useListKeys } from "@/ui/panes/useListKeys";
import { useSamePlace } from "@/ui/panes/useSamePlace";
import { Empty, Failed } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";

import { useAddress, useRefine } from "../address";
import { NEW } from "../answers";
import { useConversations } from "../queries";
import styles from "./ConversationList.module.css";
import { ConversationRow } from "./ConversationRow";

export function ConversationList({ openId }: { openId?: string }) {
  const pane = useRef<HTMLElement>(null);
  const { me } = useSession();
  const names = useNames();
  const conversations = useConversations();
  const { q = "" } = useAddress();
  const found = conversations.data?.filter(({ title, excerpt }) => fits(q, title, excerpt)) ?? [];
  const walk = useListKeys(pane);
  useSamePlace("chat", pane, conversations.isSuccess);
  const entry = found.some(({ id }) => id === openId) ? openId : found[0]?.id;
  const Heading = openId === undefined ? "h1" : "h2";
  return (
    // Arrow keys are a shortcut: every link is reachable without them.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={pane} className={styles.pane} aria-label={t("chat.list")} onKeyDown={walk}>
      <header className={styles.head}>
        <div className={styles.title}>
          <Heading>{t("chat.title")}</Heading>
          <NewChat />
        </div>
        <Words />
      </header>
      {conversations.isPending && <Waiting />}
      {conversations.isError && !conversations.data && <Failed error={conversations.error} again={() => void conversations.refetch()} />}
      {conversations.isSuccess && found.length === 0 && !conversations.hasNextPage && <None />}
      <ul className={styles.list} aria-busy={conversations.isPending}>
        {found.map((item) => (
          <ConversationRow
            key={item.id}
            item={item}
            owner={item.owner === me.user.id ? undefined : names.of(item.owner)}
            open={item.id === openId}
            entry={item.id === entry}
          />
        ))}
      </ul>
      <Endless query={conversations} eager={q !== ""} />
      <p className="sr-only" role="status">
        {q !== "" && conversations.isSuccess && t("chat.filter.found", { count: found.length })}
      </p>
    </section>
  );
}

function NewChat() {
  const { can, has } = useSession();
  if (!can("chat:use") || !has("chat")) return null;
  return (
    <Button
      size="compact-sm"
      leftSection={<IconPlus aria-hidden size={14} />}
      renderRoot={(props) => <Link {...props} to="/chat/$id" params={{ id: NEW }} search={({ q }: { q?: string }) => ({ q })} />}
    >
      {t("chat.new")}
    </Button>
  );
}

function None() {
  const { q } = useAddress();
  const refine = useRefine();
  if (!q) return <Empty title={t("chat.none")} icon={IconMessageCircle}>{t("chat.none.words")}</Empty>;
  const clear = (
    <Button variant="default" onClick={() => refine({ q: undefined })}>
      {t("ui.filter.clear")}
    </Button>
  );
  return <Empty title={t("chat.none.filtered")} icon={IconFilterOff} action={clear} />;
}

/** The input updates at once; the address follows after a pause. */
function Words() {
  const { q = "" } = useAddress();
  const refine = useRefine();
  const [typed, setTyped] = useState(q);
  const [told, setTold] = useState(q);
  const tell = useDebouncedCallback((words: string) => {
    setTold(words);
    refine({ q: words || undefined });
  }, 120);
  if (q !== told) {
    // The address changed from outside: by Back, or by a link.
    setTold(q);
    setTyped(q);
  }
  return (
    <TextFilter
      label={t("chat.filter")}
      value={typed}
      onChange={(words) => {
        setTyped(words);
        tell(words);
      }}
    />
  );
}

function Waiting() {
  return (
    <div role="status" aria-label={t("state.loading")}>
      {[62, 48, 70, 55, 40, 66].map((width) => (
        <div key={width} className={styles.waiting} aria-hidden>
          <Skeleton height={14} width={`${width}%`} />
          <Skeleton height={12} width="94%" />
        </div>
      ))}
    </div>
  );
}
