/** Conversations by last activity. */

import { Button } from "@mantine/core";
import { IconFilterOff, IconMessageCircle, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { t } from "@/i18n";
import { useSession } from "@/session";
import { useNames } from "@/ui/names";
import { PaneList } from "@/ui/panes/PaneList";
import { Empty } from "@/ui/states";
import { fits, TextFilter } from "@/ui/TextFilter";
import { useAddressText } from "@/ui/useAddressText";

import { useAddress, useRefine } from "../address";
import { NEW } from "../answers";
import { useConversations } from "../queries";
import { ConversationRow } from "./ConversationRow";

export function ConversationList({ openId }: { openId?: string }) {
  const { me } = useSession();
  const names = useNames();
  const conversations = useConversations();
  const { q } = useAddress();
  const items = conversations.data?.filter(({ title, excerpt }) => fits(q ?? "", title, excerpt)) ?? [];
  return (
    <PaneList
      name="chat"
      label={t("chat.list")}
      title={t("chat.title")}
      action={<NewChat />}
      filters={<Filter />}
      query={conversations}
      items={items}
      openId={openId}
      row={(item, place) => <ConversationRow key={item.id} item={item} owner={item.owner === me.user.id ? undefined : names.of(item.owner)} {...place} />}
      rowHeight={108}
      none={<None />}
      found={q && t("chat.filter.found", { count: items.length })}
    />
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

function Filter() {
  const { q } = useAddress();
  const refine = useRefine();
  const [typed, type] = useAddressText(q, (words) => refine({ q: words }));
  return <TextFilter label={t("chat.filter")} value={typed} onChange={type} />;
}

function None() {
  const { q } = useAddress();
  const refine = useRefine();
  if (!q) {
    return (
      <Empty title={t("chat.none")} icon={IconMessageCircle} action={<NewChat />}>
        {t("chat.none.words")}
      </Empty>
    );
  }
  const clear = (
    <Button variant="default" onClick={() => refine({ q: undefined })}>
      {t("ui.filter.clear")}
    </Button>
  );
  return <Empty title={t("chat.none.filtered")} icon={IconFilterOff} action={clear} />;
}
